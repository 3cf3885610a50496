import { setImmediate as turn } from 'node:timers/promises';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { roundTime } from '../../time.ts';
import type { CompiledMapping, Rule } from './mapping.ts';
import { type Imported, SessionBuilder } from './session-builder.ts';
import { fillStatement, fillText, MissingValueError, type TemplateContext } from './template.ts';

/** Options of {@link importLog}. */
export interface ImportOptions {
  /** The name of the recording player; all other names are opponents or teammates. */
  readonly player?: string;
  /** The name of the session. Default: the name of the mapping. */
  readonly session?: string;
  readonly signal?: AbortSignal;
}

const MAX_LINE_LENGTH = 20_000;
/** Lines between two moments at which the import can be interrupted. */
const LINES_PER_TURN = 1000;

/**
 * Imports the log of another program as events.
 *
 * Lines that match no rule are skipped, because most lines of a log are not about events. Statements that the dictionary does
 * not accept are skipped and reported. Names are made printable and are cut to the length that statements allow.
 *
 * @throws The signal's reason.
 *
 * @example
 * const { dictionary } = await loadBuiltin(['openarena']);
 * const text = await readFile('games.log', 'utf8');
 * const { sessions } = await importLog(text, await recognizeMapping(text), dictionary, { player: 'Sarge' });
 */
export async function importLog(
  text: string,
  compiled: CompiledMapping,
  dictionary: Dictionary,
  options: ImportOptions = {},
): Promise<Imported> {
  const { name, game } = compiled.mapping;
  const sessions = new SessionBuilder({ dictionary, game, session: options.session ?? name });
  const importer = new LogImporter(compiled, sessions, options.player);
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    importer.addLine(line.slice(0, MAX_LINE_LENGTH), index + 1);
    if (index % LINES_PER_TURN !== 0) continue;
    await turn();
    options.signal?.throwIfAborted();
  }
  return sessions.finish();
}

/** Applies the rules of a mapping to the lines of a log, or to records that were made lines. */
export class LogImporter {
  private readonly compiled: CompiledMapping;
  private readonly player: string | undefined;
  private readonly memory = new Map<string, string>();
  private readonly sessions: SessionBuilder;
  private time = 0;

  /** @param player The name of the recording player; all other names are opponents or teammates. */
  constructor(compiled: CompiledMapping, sessions: SessionBuilder, player: string | undefined) {
    this.compiled = compiled;
    this.sessions = sessions;
    this.player = player;
  }

  /** Adds the events of a line whose time the mapping's clock reads. */
  addLine(line: string, lineNumber: number): void {
    const content = this.readTime(line);
    if (content !== undefined) this.applyRules(content, line, `${lineNumber}`);
  }

  /**
   * Adds the events of a record whose time is known.
   *
   * @param time Seconds.
   * @param content What rules are matched against.
   * @param place Where the record is, for issues.
   */
  addRecord(time: number, content: string, place: string): void {
    this.time = time;
    this.applyRules(content, content, place);
  }

  private applyRules(content: string, line: string, place: string): void {
    for (const rule of this.compiled.rules) {
      const groups = rule.match.exec(content);
      if (!groups) continue;
      const context: TemplateContext = {
        compiled: this.compiled,
        groups,
        memory: this.memory,
        player: this.player,
        previous: (subject, property) => this.sessions.lastValue(subject, property),
      };
      if (this.applyRule(rule, context, line, place)) return;
    }
  }

  /** Reads the time of a line. Returns what rules are matched against, `undefined` for a line without a time. */
  private readTime(line: string): string | undefined {
    const { clock, mapping } = this.compiled;
    if (!clock || !mapping.clock) return line;
    const groups = clock.exec(line);
    if (!groups) return undefined;
    const { hours, minutes, seconds, sum, rest } = mapping.clock;
    const numberIn = (group: number | undefined): number => (group === undefined ? 0 : Number(groups[group] ?? 0) || 0);
    const time = numberIn(hours) * 3600 + numberIn(minutes) * 60 + numberIn(seconds);
    this.time = roundTime(sum ? this.time + time : time);
    return rest === 0 ? line : (groups[rest] ?? '');
  }

  /** Applies a rule if its conditions hold; returns whether they do. */
  private applyRule(rule: Rule, context: TemplateContext, line: string, place: string): boolean {
    const isEqual = ([a, b]: [string, string]): boolean => fillText(a, context) === fillText(b, context);
    try {
      if (!Object.entries(rule.if ?? {}).every(isEqual) || Object.entries(rule.unless ?? {}).some(isEqual))
        return false;
      if (rule.session !== undefined) {
        this.sessions.start(fillText(rule.session, context));
        this.memory.clear();
      }
      for (const [key, value] of Object.entries(rule.remember ?? {}))
        this.memory.set(fillText(key, context), fillText(value, context));
      const extra = this.lookUpExtra(rule, context);
      for (const template of rule.say)
        this.sessions.add(this.time, fillStatement({ ...template, ...extra }, context), line, place);
    } catch (error) {
      if (!(error instanceof MissingValueError)) throw error;
      this.sessions.report({ code: 'log-unmapped', path: place, message: error.message });
    }
    return true;
  }

  private lookUpExtra({ and }: Rule, context: TemplateContext): Readonly<Record<string, unknown>> {
    if (!and) return {};
    const key = fillText(and.key, context);
    const table = this.compiled.mapping.tables?.[and.table] ?? {};
    if (!Object.hasOwn(table, key)) throw new MissingValueError(`the table "${and.table}" has no entry "${key}"`);
    return table[key] as Readonly<Record<string, unknown>>;
  }
}
