import { isSequenceDetail } from '../cues/sequence.ts';
import { compileCondition, type Fulfilled } from '../cues/condition.ts';
import type { Cue } from '../cues/cue.ts';
import type { Issue } from '../errors.ts';
import type { CueValue } from '../events/log.ts';
import { parseStatement } from '../events/statement.ts';
import type { CueSequence, EventMapping } from '../profile/profile.ts';
import { toLogged, type ScriptStatement } from './script.ts';

/** What the mappings of a profile make of a cue. */
export interface MappedCue {
  readonly statements: readonly ScriptStatement[];
  readonly problems: readonly Issue[];
}

/**
 * Compiles the `events` of a profile and the statements of its sequences into a function from a cue to statements, in the order
 * of the profile. In a statement `$value` and `$previous` stand for the cue's values (a number stays a number if it is the whole
 * slot) and `$1`… for the groups of `match`; an empty slot is left out.
 */
export function compileMappings(
  events: readonly EventMapping[] = [],
  sequences: Readonly<Record<string, CueSequence>> = {},
): (cue: Cue) => MappedCue {
  const mappings: Mapping[] = events.map(({ on, statement, support, alone }, index) => ({
    key: `${on.trigger} ${on.detector}`,
    path: `#/events/${index}/statement`,
    test: compileCondition(on),
    statement,
    ...(support === true ? { support } : {}),
    ...(alone === true ? { alone } : {}),
  }));
  for (const [name, { statement }] of Object.entries(sequences))
    if (statement)
      mappings.push({ key: `found ${name}`, path: `#/sequences/${name}/statement`, test: stepsOf, statement });
  const byCue = Map.groupBy(mappings, ({ key }) => key);
  return (cue) => {
    const statements: ScriptStatement[] = [];
    const problems: Issue[] = [];
    for (const { path, test, statement, support, alone } of byCue.get(`${cue.trigger} ${cue.detector}`) ?? []) {
      const groups = test(cue);
      if (groups === undefined) continue;
      const shaped = parseStatement(fill(statement, cue, groups));
      if ('issues' in shaped) {
        for (const issue of shaped.issues) {
          const message = `${issue.message} (${cue.t} s, on ${cue.detector})`;
          problems.push({ code: 'mapping-statement', path: `${path}${issue.path}`, message });
        }
      } else {
        const { confidence, t } = cue;
        statements.push({
          t,
          end: t,
          statement: shaped.statement,
          confidence,
          ...(cue.tentative ? { tentative: true } : {}),
          cues: evidenceFor(cue),
          ...(support && { support }),
          ...(alone && { alone }),
        });
      }
    }
    return { statements, problems };
  };
}

interface Mapping {
  readonly key: string;
  readonly path: string;
  readonly test: (cue: Cue) => Fulfilled | undefined;
  readonly statement: Readonly<Record<string, unknown>>;
  readonly support?: true;
  readonly alone?: true;
}

/** What the steps of a sequence read, counted from 1. */
function stepsOf({ detail }: Cue): Fulfilled | undefined {
  return isSequenceDetail(detail) ? [undefined, ...detail.steps.map(({ read }) => read)] : undefined;
}

/** The evidence of a statement: the cue; for a sequence, those of its steps. */
function evidenceFor(cue: Cue): ScriptStatement['cues'] {
  return isSequenceDetail(cue.detail) ? cue.detail.steps.flatMap((step) => evidenceFor(step.cue)) : [toLogged(cue)];
}

/** Fills `$value` and `$previous` of a cue into the template of a statement. */
export function fillStatement(template: unknown, cue: Cue): unknown {
  return fill(template, cue, []);
}

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
