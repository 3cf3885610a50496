import { setImmediate as turn } from 'node:timers/promises';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { normalizeStatement, validateStatement } from '../../dictionary/statements.ts';
import type { Issue } from '../../errors.ts';
import { plainText } from '../../markup.ts';
import { roundTime } from '../../time.ts';
import type { EventLine } from '../log.ts';
import { isPropertyStatement, parseStatement, type PropertyValue, type Statement } from '../statement.ts';
import { eventId } from '../writer.ts';
import type { CompiledMapping, Rule } from './mapping.ts';
import { fillStatement, fillText, MissingValueError, type TemplateContext } from './template.ts';

/** Options of {@link importLog}. */
export interface ImportOptions {
  /** The name of the recording player; all other names are opponents or teammates. */
  readonly player?: string;
  /** The name of the session. Default: the name of the mapping. */
  readonly session?: string;
  readonly signal?: AbortSignal;
}

/** A session of an imported log, for example one match of a server log. */
export interface ImportedSession {
  readonly session: string;
  /** Time of the last event in seconds. */
  readonly duration: number;
  readonly events: readonly EventLine[];
}

/** The result of {@link importLog}. */
export interface Imported {
  readonly sessions: readonly ImportedSession[];
  /** Statements that could not be made, one issue per reason. The path is the number of the first line. */
  readonly issues: readonly Issue[];
}

const MAX_LINE_LENGTH = 20_000;
/** Lines between two moments at which the import can be interrupted. */
const LINES_PER_TURN = 1000;
/** Statements whose sentences are remembered, as logs repeat them. */
const MAX_REMEMBERED_STATEMENTS = 10_000;

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
  const importer = new LogImporter(compiled, dictionary, options);
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    importer.addLine(line.slice(0, MAX_LINE_LENGTH), index + 1);
    if (index % LINES_PER_TURN !== 0) continue;
    await turn();
    options.signal?.throwIfAborted();
  }
  return importer.finish();
}

/** Different problems that are reported. */
const MAX_PROBLEMS = 1000;
/** Characters of a line that an event quotes. */
const MAX_QUOTED_LENGTH = 2000;

/** A statement in the dictionary's form, and its sentence; issues and no statement if it is not one. */
interface RenderedStatement {
  readonly issues: readonly Issue[];
  readonly statement: Statement | undefined;
  readonly text: string;
}

interface OpenSession {
  readonly session: string;
  duration: number;
  readonly events: EventLine[];
  /** How often each statement occurs at each time, for event ids. */
  readonly occurrences: Map<string, number>;
}

class LogImporter {
  private readonly compiled: CompiledMapping;
  private readonly dictionary: Dictionary;
  private readonly options: ImportOptions;
  private readonly sessions: OpenSession[] = [];
  private readonly memory = new Map<string, string>();
  private readonly lastValues = new Map<string, PropertyValue>();
  private readonly problems = new Map<string, { issue: Issue; count: number }>();
  private readonly rendered = new Map<string, RenderedStatement>();
  private time = 0;

  constructor(compiled: CompiledMapping, dictionary: Dictionary, options: ImportOptions) {
    this.compiled = compiled;
    this.dictionary = dictionary;
    this.options = options;
  }

  addLine(line: string, lineNumber: number): void {
    const content = this.readTime(line);
    if (content === undefined) return;
    for (const rule of this.compiled.rules) {
      const groups = rule.match.exec(content);
      if (!groups) continue;
      const context: TemplateContext = {
        compiled: this.compiled,
        groups,
        memory: this.memory,
        player: this.options.player,
        previous: (subject, property) => this.lastValues.get(JSON.stringify([subject, property])),
      };
      if (this.applyRule(rule, context, line, lineNumber)) return;
    }
  }

  finish(): Imported {
    const issues = [...this.problems.values()].map(({ issue, count }) =>
      count === 1 ? issue : { ...issue, message: `${issue.message} (${count} times)` },
    );
    return { sessions: this.sessions.map(({ session, duration, events }) => ({ session, duration, events })), issues };
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
  private applyRule(rule: Rule, context: TemplateContext, line: string, lineNumber: number): boolean {
    const isEqual = ([a, b]: [string, string]): boolean => fillText(a, context) === fillText(b, context);
    try {
      if (!Object.entries(rule.if ?? {}).every(isEqual) || Object.entries(rule.unless ?? {}).some(isEqual))
        return false;
      if (rule.session !== undefined) this.startSession(fillText(rule.session, context));
      for (const [key, value] of Object.entries(rule.remember ?? {}))
        this.memory.set(fillText(key, context), fillText(value, context));
      const extra = this.lookUpExtra(rule, context);
      for (const template of rule.say)
        this.addStatement(fillStatement({ ...template, ...extra }, context), line, lineNumber);
    } catch (error) {
      if (!(error instanceof MissingValueError)) throw error;
      this.report({ code: 'log-unmapped', path: `${lineNumber}`, message: error.message });
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

  private startSession(suffix: string): OpenSession {
    const name = this.options.session ?? this.compiled.mapping.name;
    const number = this.sessions.length + 1;
    const parts = [name, suffix, number > 1 ? `#${number}` : ''];
    const session: OpenSession = {
      session: parts.filter((part) => part !== '').join(' '),
      duration: 0,
      events: [],
      occurrences: new Map(),
    };
    this.sessions.push(session);
    this.lastValues.clear();
    this.memory.clear();
    return session;
  }

  private addStatement(filled: Statement, line: string, lineNumber: number): void {
    const { issues, statement, text } = this.renderStatement(filled);
    if (statement === undefined) {
      for (const issue of issues) this.report({ ...issue, path: `${lineNumber}` });
      return;
    }
    if (isPropertyStatement(statement)) {
      if (statement.from !== undefined && statement.from === statement.to) return;
      this.lastValues.set(JSON.stringify([statement.subject, statement.property]), statement.to);
    }
    const session = this.sessions.at(-1) ?? this.startSession('');
    const t = this.time;
    const key = JSON.stringify([t, statement]);
    const occurrence = session.occurrences.get(key) ?? 0;
    session.occurrences.set(key, occurrence + 1);
    session.duration = Math.max(session.duration, t);
    session.events.push({
      type: 'event',
      id: eventId(t, statement, occurrence),
      t,
      end: t,
      game: this.compiled.mapping.game,
      session: session.session,
      text,
      statement,
      confidence: 1,
      cues: [{ detector: 'log', t, trigger: 'found', value: plainText(line, MAX_QUOTED_LENGTH), confidence: 1 }],
    });
  }

  private renderStatement(filled: Statement): RenderedStatement {
    const key = JSON.stringify(filled);
    const known = this.rendered.get(key);
    if (known) return known;
    const parsed = parseStatement(filled);
    const issues = 'issues' in parsed ? parsed.issues : validateStatement(filled, this.dictionary);
    const statement = issues.length === 0 ? normalizeStatement(filled) : undefined;
    const text = statement ? render(statement, this.dictionary) : '';
    const rendered = { issues, statement, text };
    if (this.rendered.size >= MAX_REMEMBERED_STATEMENTS) this.rendered.clear();
    this.rendered.set(key, rendered);
    return rendered;
  }

  private report(issue: Issue): void {
    const problem = this.problems.get(issue.message);
    if (problem) problem.count++;
    else if (this.problems.size < MAX_PROBLEMS) this.problems.set(issue.message, { issue, count: 1 });
  }
}
