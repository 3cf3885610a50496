import type { Dictionary } from '../../dictionary/dictionary.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { isRecord } from '../../dictionary/shape.ts';
import { normalizeStatement, validateStatement } from '../../dictionary/statements.ts';
import type { Issue } from '../../errors.ts';
import { roundTime } from '../../time.ts';
import type { EventLine } from '../log.ts';
import { isPropertyStatement, type Mention, type PropertyValue, type Slot, type Statement } from '../statement.ts';
import { eventId } from '../writer.ts';
import type { CompiledMapping, Rule } from './mapping.ts';

export interface ImportOptions {
  /** The name of the person whose session it is; everybody else is an opponent or a teammate. */
  readonly player?: string;
  /** The name of the session; default the mapping's. */
  readonly session?: string;
}

/** One session of a foreign log: a match of a server's log. */
export interface ImportedSession {
  readonly session: string;
  /** Seconds: of the last line. */
  readonly duration: number;
  readonly events: readonly EventLine[];
}

export interface Imported {
  readonly sessions: readonly ImportedSession[];
  /** What could not be said, once for each kind, with how often and where first. */
  readonly issues: readonly Issue[];
}

const longestLine = 20_000;

/**
 * Reads a foreign log as statements. Lines that no rule knows are passed over, as a log speaks of much that is no event;
 * a statement that the dictionary refuses is left out and told.
 */
export function importLog(
  text: string,
  compiled: CompiledMapping,
  dictionary: Dictionary,
  options: ImportOptions = {},
): Imported {
  const importer = new Importer(compiled, dictionary, options);
  let number = 0;
  for (const line of text.split(/\r?\n/)) importer.line(line.slice(0, longestLine), ++number);
  return importer.end();
}

interface Open {
  session: string;
  duration: number;
  events: EventLine[];
  /** How often a statement was made at a time, for ids. */
  repeats: Map<string, number>;
}

class Importer {
  private readonly compiled: CompiledMapping;
  private readonly dictionary: Dictionary;
  private readonly options: ImportOptions;
  private readonly sessions: Open[] = [];
  private readonly memory = new Map<string, string>();
  private readonly values = new Map<string, PropertyValue>();
  private readonly problems = new Map<string, { issue: Issue; times: number }>();
  private open: Open | undefined;
  private clock = 0;

  constructor(compiled: CompiledMapping, dictionary: Dictionary, options: ImportOptions) {
    this.compiled = compiled;
    this.dictionary = dictionary;
    this.options = options;
  }

  line(line: string, number: number): void {
    const timed = this.timed(line);
    if (timed === undefined) return;
    for (const rule of this.compiled.rules) {
      const groups = rule.match.exec(timed);
      if (!groups) continue;
      const context: Context = {
        compiled: this.compiled,
        groups,
        memory: this.memory,
        player: this.options.player,
        previous: (subject, property) => this.values.get(JSON.stringify([subject, property])),
      };
      if (this.apply(rule, context, line, number)) return;
    }
  }

  end(): Imported {
    const issues = [...this.problems.values()].map(({ issue, times }) =>
      times === 1 ? issue : { ...issue, message: `${issue.message} (${times} times)` },
    );
    return { sessions: this.sessions.map(({ session, duration, events }) => ({ session, duration, events })), issues };
  }

  /** What the rules are tried on; the clock is set by the way. Undefined for a line without the form of one. */
  private timed(line: string): string | undefined {
    const { clock } = this.compiled;
    const entry = this.compiled.mapping.clock;
    if (!clock || !entry) return line;
    const groups = clock.exec(line);
    if (!groups) return undefined;
    const part = (index: number | undefined): number => (index === undefined ? 0 : Number(groups[index] ?? 0) || 0);
    const seconds = part(entry.hours) * 3600 + part(entry.minutes) * 60 + part(entry.seconds);
    this.clock = roundTime(entry.sum ? this.clock + seconds : seconds);
    return entry.rest === 0 ? line : (groups[entry.rest] ?? '');
  }

  /** Whether the rule holds for the line; then it has been done. */
  private apply(rule: Rule, context: Context, line: string, number: number): boolean {
    try {
      if (Object.entries(rule.if ?? {}).some(([a, b]) => fillText(a, context) !== fillText(b, context))) return false;
      if (Object.entries(rule.unless ?? {}).some(([a, b]) => fillText(a, context) === fillText(b, context)))
        return false;
      if (rule.session !== undefined) this.begin(fillText(rule.session, context));
      for (const [key, value] of Object.entries(rule.remember ?? {}))
        this.memory.set(fillText(key, context), fillText(value, context));
      const extra = this.extra(rule, context);
      for (const template of rule.say) this.say(fillStatement({ ...template, ...extra }, context), line, number);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      this.report({ code: 'log-unmapped', path: `${number}`, message: error.message });
    }
    return true;
  }

  private extra({ and }: Rule, context: Context): Readonly<Record<string, unknown>> {
    if (!and) return {};
    const key = fillText(and.key, context);
    const table = this.compiled.mapping.tables?.[and.table] ?? {};
    if (!Object.hasOwn(table, key)) throw new Missing(`the table "${and.table}" has no "${key}"`);
    return table[key] as Readonly<Record<string, unknown>>;
  }

  private begin(suffix: string): Open {
    const name = this.options.session ?? this.compiled.mapping.name;
    const number = this.sessions.length + 1;
    this.open = {
      session: [name, suffix, number > 1 ? `#${number}` : ''].filter((part) => part !== '').join(' '),
      duration: 0,
      events: [],
      repeats: new Map(),
    };
    this.sessions.push(this.open);
    this.values.clear();
    this.memory.clear();
    return this.open;
  }

  private say(said: Statement, line: string, number: number): void {
    const issues = validateStatement(said, this.dictionary);
    if (issues.length > 0) {
      for (const issue of issues) this.report({ ...issue, path: `${number}` });
      return;
    }
    const statement = normalizeStatement(said);
    if (isPropertyStatement(statement)) {
      if (statement.from !== undefined && statement.from === statement.to) return;
      this.values.set(JSON.stringify([statement.subject, statement.property]), statement.to);
    }
    const session = this.open ?? this.begin('');
    const t = this.clock;
    const key = JSON.stringify([t, statement]);
    const repeat = session.repeats.get(key) ?? 0;
    session.repeats.set(key, repeat + 1);
    session.duration = Math.max(session.duration, t);
    session.events.push({
      type: 'event',
      id: eventId(t, statement, repeat),
      t,
      end: t,
      game: this.compiled.mapping.game,
      session: session.session,
      text: render(statement, this.dictionary),
      statement,
      confidence: 1,
      cues: [{ detector: 'log', t, trigger: 'found', value: line.trim(), confidence: 1 }],
    });
  }

  private report(issue: Issue): void {
    const known = this.problems.get(issue.message);
    if (known) known.times++;
    else this.problems.set(issue.message, { issue, times: 1 });
  }
}

/** What a template is filled from. */
export interface Context {
  readonly compiled: CompiledMapping;
  /** The groups of the line, the whole first. */
  readonly groups: readonly (string | undefined)[];
  readonly memory: ReadonlyMap<string, string>;
  /** The name of the person whose session it is. */
  readonly player: string | undefined;
  /** The value that a property of someone had last. */
  readonly previous: (subject: unknown, property: string) => PropertyValue | undefined;
}

/** Told apart from all else: the template asks for something that the line or a table does not have. */
export class Missing extends Error {}

/** `$1` and `{key}` replaced in a text; a key is filled before it is looked up. */
export function fillText(text: string, context: Context): string {
  const grouped = text.replaceAll(/\$(\d{1,2})/g, (_, index: string) => context.groups[Number(index)] ?? '');
  return grouped.replaceAll(/\{([^{}]*)\}/g, (_, key: string) => {
    const known = context.memory.get(key);
    if (known === undefined) throw new Missing(`nothing is remembered about "${key}"`);
    return known;
  });
}

/** The statement of a template. Throws Missing. */
export function fillStatement(template: Readonly<Record<string, unknown>>, context: Context): Statement {
  const filled: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(template)) {
    const value =
      key === 'from' && part === 'previous'
        ? context.previous(filled['subject'], String(template['property']))
        : fillPart(part, context);
    if (value !== undefined) filled[key] = value;
  }
  return filled as unknown as Statement;
}

function fillPart(part: unknown, context: Context): Slot | PropertyValue | undefined {
  if (typeof part === 'string') return fillText(part, context);
  if (!isRecord(part)) return part as PropertyValue;
  if (typeof part['who'] === 'string') return whoIs(strip(fillText(part['who'], context), context), context);
  if (typeof part['text'] === 'string') return strip(fillText(part['text'], context), context);
  if (part['number'] !== undefined) return numberIn(fillText(String(part['number']), context));
  if (typeof part['lookup'] === 'string') return found(part['lookup'], fillText(String(part['key']), context), context);
  const { word, name, count, of } = part;
  return {
    word: fillText(String(word), context),
    ...(name !== undefined && { name: strip(fillText(String(name), context), context) }),
    ...(count !== undefined && { count: numberIn(fillText(String(count), context)) }),
    ...(of !== undefined && { of: fillPart(of, context) as Slot }),
  } satisfies Mention;
}

function numberIn(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new Missing(`"${text}" is not a number`);
  return number;
}

function found(table: string, key: string, context: Context): Slot {
  const entries = context.compiled.mapping.tables?.[table] ?? {};
  if (!Object.hasOwn(entries, key)) throw new Missing(`the table "${table}" has no "${key}"`);
  return entries[key] as Slot;
}

/** The person of a name: the player, a teammate of the same side, or an opponent. */
function whoIs(name: string, context: Context): Slot {
  if (name === '') throw new Missing('a person without a name');
  if (name === context.player) return 'player';
  const side = context.memory.get(`side ${name}`);
  const own = context.player === undefined ? undefined : context.memory.get(`side ${context.player}`);
  const together = side !== undefined && side === own && (context.compiled.mapping.sides ?? []).includes(side);
  return { word: together ? 'teammate' : 'opponent', name };
}

function strip(text: string, { compiled }: Context): string {
  const { strip: pattern } = compiled;
  if (!pattern) return text;
  let rest = text;
  let kept = '';
  for (let piece = pattern.exec(rest)?.[0]; piece; piece = pattern.exec(rest)?.[0]) {
    const at = rest.indexOf(piece);
    kept += rest.slice(0, at);
    rest = rest.slice(at + piece.length);
  }
  return kept + rest;
}
