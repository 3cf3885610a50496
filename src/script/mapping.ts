import type { Cue } from '../cues/cue.ts';
import type { Issue } from '../errors.ts';
import type { CueValue } from '../events/log.ts';
import { shapeStatement } from '../events/shape.ts';
import { Pattern } from '../pattern/pattern.ts';
import type { EventMapping } from '../profile/profile.ts';
import { toLogged, type ScriptStatement } from './script.ts';

/** Longest text that a mapping's regular expression is tried on. */
const LONGEST = 500;

export interface MappedCue {
  readonly statements: readonly ScriptStatement[];
  readonly problems: readonly Issue[];
}

/**
 * Turns a profile's `events` into a function from a cue to its statements, in the order of the profile. In a
 * statement `$value` and `$previous` stand for what was read (a number stays one where it is the whole slot), `$1` and
 * so on for the groups of `match`; a slot that comes out empty is left out.
 */
export function compileMappings(mappings: readonly EventMapping[] | undefined): (cue: Cue) => MappedCue {
  const byCue = Map.groupBy(
    (mappings ?? []).map((mapping, index) => ({ ...mapping, index, match: expressionOf(mapping) })),
    ({ on }) => `${on.trigger} ${on.detector}`,
  );
  return (cue) => {
    const statements: ScriptStatement[] = [];
    const problems: Issue[] = [];
    for (const { on, match, statement, index } of byCue.get(`${cue.trigger} ${cue.detector}`) ?? []) {
      const subject = cue.trigger === 'lost' ? cue.previous : cue.value;
      const groups = match === undefined ? [] : match.exec(String(subject ?? '').slice(0, LONGEST));
      if (groups === undefined || !changesAs(cue, on.change)) continue;
      const shaped = shapeStatement(fill(statement, cue, groups));
      if ('issues' in shaped) {
        for (const issue of shaped.issues) {
          const path = `#/events/${index}/statement/${issue.path}`;
          problems.push({
            code: 'mapping-statement',
            path,
            message: `${issue.message} (${cue.t} s, on ${cue.detector})`,
          });
        }
      } else {
        const { confidence, t } = cue;
        statements.push({ t, end: t, statement: shaped.statement, confidence, cues: [toLogged(cue)] });
      }
    }
    return { statements, problems };
  };
}

function expressionOf({ on }: EventMapping): Pattern | undefined {
  return on.match === undefined ? undefined : new Pattern(on.match);
}

function changesAs({ value, previous }: Cue, change: 'rise' | 'fall' | undefined): boolean {
  if (change === undefined) return true;
  const [now, before] = [Number(value ?? Number.NaN), Number(previous ?? Number.NaN)];
  return change === 'rise' ? now > before : now < before;
}

/** A statement's template with `$value` and `$previous` of a cue filled in. */
export function fillStatement(template: unknown, cue: Cue): unknown {
  return fill(template, cue, []);
}

/** A copy of `template` with its placeholders filled. */
function fill(template: unknown, cue: Cue, groups: readonly (string | undefined)[]): unknown {
  if (typeof template === 'string') return fillText(template, cue, groups);
  if (Array.isArray(template)) return template.map((part) => fill(part, cue, groups));
  if (typeof template !== 'object' || template === null) return template;
  const entries = Object.entries(template).map(([key, part]) => [key, fill(part, cue, groups)] as const);
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined && part !== ''));
}

function fillText(template: string, cue: Cue, groups: readonly (string | undefined)[]): CueValue | undefined {
  const valueOf = (name: string): CueValue | undefined =>
    name === 'value' ? cue.value : name === 'previous' ? cue.previous : groups[Number(name)];
  const whole = /^\$(value|previous|\d)$/.exec(template)?.[1];
  if (whole !== undefined) return valueOf(whole);
  return template.replaceAll(/\$(value|previous|\d)/g, (_, name: string) => String(valueOf(name) ?? ''));
}
