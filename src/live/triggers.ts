import type { Dictionary } from '../dictionary/dictionary.ts';
import { PlaybyplayError, type Issue } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import { readInput } from '../files/input.ts';
import { type CompiledQuery, compileQuery, createEventTest, matchEvents } from '../query/index.ts';
import type { FromSchema, Schema } from '../schema/from-schema.ts';
import { parseJsonFile } from '../schema/parse.ts';
import { compileEventTest } from './session.ts';

const SECRET = {
  type: 'string',
  minLength: 1,
  maxLength: 2000,
} as const;
const SECONDS = { type: 'number', minimum: 0, maximum: 120 } as const;
const MESSAGE = {
  type: 'string',
  minLength: 1,
  maxLength: 1000,
  description: 'A text in which {text}, {time}, {game} and {query} are replaced.',
} as const;

const act = <const Name extends string, const Properties>(name: Name, description: string, properties: Properties) =>
  ({
    type: 'object',
    description,
    properties: { action: { const: name }, ...properties },
    required: ['action'],
    additionalProperties: false,
  }) as const;

/** The JSON Schema of a file with triggers. */
export const triggersSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:triggers:1',
  title: 'playbyplay triggers',
  description: 'What happens when an event of a live session matches a query, and what an overlay counts.',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    format: { const: 'playbyplay/triggers/1' },
    obs: {
      type: 'object',
      description: 'The WebSocket server of OBS (Tools, WebSocket Server Settings).',
      properties: {
        address: {
          type: 'string',
          pattern: '^wss?://\\S{1,500}$',
          $comment: 'must be an address such as ws://127.0.0.1:4455',
          default: 'ws://127.0.0.1:4455',
        },
        password: { ...SECRET, description: 'Its password; env:NAME takes it from an environment variable.' },
      },
      additionalProperties: false,
    },
    counters: {
      type: 'array',
      maxItems: 12,
      description: 'What the overlay counts. Default: kills by the player, and their deaths.',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 40 },
          query: { type: 'string', minLength: 1, maxLength: 500 },
        },
        required: ['name', 'query'],
        additionalProperties: false,
      },
    },
    triggers: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            minLength: 1,
            maxLength: 500,
            description: 'A sentence of the query language: “kills by player”, “3 kills by player within 10 s”.',
          },
          pause: {
            type: 'number',
            minimum: 0,
            maximum: 3600,
            default: 0,
            description: 'Seconds after a match in which further ones do nothing.',
          },
          do: {
            type: 'array',
            minItems: 1,
            maxItems: 10,
            items: {
              anyOf: [
                act('save-replay', 'Saves the replay buffer of OBS.', {
                  delay: { ...SECONDS, default: 0, description: 'Seconds to wait before.' },
                }),
                act('switch-scene', 'Shows another scene of OBS.', {
                  scene: { type: 'string', minLength: 1, maxLength: 200 },
                  seconds: { ...SECONDS, description: 'Then goes back to the scene before. Default: stays.' },
                }),
                act('chapter', 'Marks a chapter in the recording of OBS (Hybrid MP4, OBS 30.2 or later).', {
                  name: { ...MESSAGE, default: '{text}' },
                }),
                act('clip', 'Cuts a clip from the stream, without OBS and without encoding it again.', {
                  before: { ...SECONDS, default: 10, description: 'Seconds before the first event.' },
                  after: { ...SECONDS, default: 5, description: 'Seconds after the last event.' },
                }),
                act('webhook', 'Posts a message, in the form of Discord’s webhooks.', {
                  url: { ...SECRET, description: 'Its address; env:NAME takes it from an environment variable.' },
                  message: { ...MESSAGE, default: '{time} {text}' },
                }),
              ],
            },
          },
        },
        required: ['query', 'do'],
        additionalProperties: false,
      },
    },
  },
  required: ['format'],
  additionalProperties: false,
} as const satisfies Schema;

/** A file with triggers as it is written. */
export interface TriggersFile extends FromSchema<typeof triggersSchema> {}

/** A trigger of the file. */
export type TriggerSpec = NonNullable<TriggersFile['triggers']>[number];

/** What a trigger does. */
export type TriggerAction = TriggerSpec['do'][number];

const MAX_FILE_BYTES = 1 << 20;

/**
 * Reads a file with triggers, and takes passwords and addresses that it names from environment variables.
 *
 * @param dictionary The words of its queries.
 * @throws PlaybyplayError `triggers-invalid` with every issue.
 */
export async function readTriggers(
  path: string,
  dictionary: Dictionary,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<TriggersFile> {
  const text = (await readInput(path, MAX_FILE_BYTES, 'triggers-invalid')).toString('utf8');
  const file: TriggersFile = parseJsonFile(triggersSchema, text, { source: path, code: 'triggers-invalid' });
  const issues: Issue[] = [...findQueryIssues(file, dictionary, path)];
  const resolve = (value: string, pointer: string): string => {
    const name = /^env:(\w+)$/.exec(value)?.[1];
    if (name === undefined) return value;
    const found = environment[name];
    if (found === undefined || found === '')
      issues.push({
        code: 'variable-missing',
        path: `${path}#${pointer}`,
        message: `the environment variable ${name} is not set`,
        hint: `Set it before the program is started.`,
      });
    return found ?? '';
  };
  const { obs } = file;
  const resolved: TriggersFile = {
    ...file,
    ...(obs && {
      obs: { ...obs, ...(obs.password !== undefined && { password: resolve(obs.password, '/obs/password') }) },
    }),
    ...(file.triggers && {
      triggers: file.triggers.map((trigger, i) => ({
        ...trigger,
        do: trigger.do.map((action, k) => resolveAction(action, `/triggers/${i}/do/${k}`, resolve, issues, path)),
      })),
    }),
  };
  if (issues.length > 0)
    throw new PlaybyplayError(
      'triggers-invalid',
      `${path} has ${issues.length === 1 ? 'a mistake' : `${issues.length} mistakes`}`,
      { issues },
    );
  return resolved;
}

/** The mistakes in the queries of a file. */
function* findQueryIssues(
  { counters, triggers }: TriggersFile,
  dictionary: Dictionary,
  path: string,
): Generator<Issue> {
  const compilers = [
    ...(counters ?? []).map(
      ({ query }, i) => [`/counters/${i}/query`, () => compileEventTest(query, dictionary)] as const,
    ),
    ...(triggers ?? []).map(
      ({ query }, i) => [`/triggers/${i}/query`, () => compileTrigger(query, dictionary)] as const,
    ),
  ];
  for (const [pointer, compile] of compilers)
    try {
      compile();
    } catch (error) {
      if (!(error instanceof PlaybyplayError)) throw error;
      const { code, message, hint, issues } = error;
      yield* (issues.length > 0 ? issues : [{ code, message, ...(hint !== undefined && { hint }) }]).map((issue) => ({
        ...issue,
        path: `${path}#${pointer}`,
      }));
    }
}

/** Compiles the query of a trigger. @throws PlaybyplayError `bad-query`. */
function compileTrigger(query: string, dictionary: Dictionary): CompiledQuery {
  return compileQuery(query, dictionary, { exactSpelling: true });
}

function resolveAction(
  action: TriggerAction,
  pointer: string,
  resolve: (value: string, pointer: string) => string,
  issues: Issue[],
  path: string,
): TriggerAction {
  const add = (message: string): void =>
    void issues.push({ code: 'triggers-invalid', path: `${path}#${pointer}`, message });
  if (action.action === 'switch-scene' && action.scene === undefined) add('has no “scene”');
  if (action.action !== 'webhook') return action;
  if (action.url === undefined) {
    add('has no “url”');
    return action;
  }
  const url = resolve(action.url, `${pointer}/url`);
  if (url !== '' && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
    add('“url” is no http or https address');
  return { ...action, url };
}

/** A match of a trigger. */
export interface TriggerMatch {
  readonly query: string;
  readonly actions: readonly TriggerAction[];
  /** The events that match, in order of time. */
  readonly events: readonly EventLine[];
  /** Seconds from the first event to the last. */
  readonly t: number;
  readonly end: number;
}

interface CompiledTrigger {
  readonly spec: TriggerSpec;
  readonly compiled: CompiledQuery;
  /** Undefined for queries about several events. */
  readonly test: ((event: EventLine) => boolean) | undefined;
  quietUntil: number;
  /** End of the last match that was reported. */
  reported: number;
}

/** Seconds of events in which queries about several events are looked for, and how many of them at most. */
const MEMORY_SECONDS = 600;
const MAX_REMEMBERED_EVENTS = 2000;

/** Finds the triggers that events of a live session match, each event once. */
export class TriggerMatcher {
  readonly #triggers: readonly CompiledTrigger[];
  #events: EventLine[] = [];

  /** @throws PlaybyplayError `bad-query` if a query cannot be understood. */
  constructor(specs: readonly TriggerSpec[], dictionary: Dictionary) {
    this.#triggers = specs.map((spec) => {
      const compiled = compileTrigger(spec.query, dictionary);
      const test = createEventTest(compiled);
      return { spec, compiled, test, quietUntil: Number.NEGATIVE_INFINITY, reported: Number.NEGATIVE_INFINITY };
    });
  }

  /** Takes the next event of the log; events come in order of time. */
  add(event: EventLine): readonly TriggerMatch[] {
    if (event.tentative) return [];
    const since = event.t - MEMORY_SECONDS;
    this.#events = this.#events.filter(({ t }) => t >= since).slice(1 - MAX_REMEMBERED_EVENTS);
    this.#events.push(event);
    return this.#triggers.flatMap((trigger) => {
      const events = this.#match(trigger, event);
      if (!events || event.t < trigger.quietUntil) return [];
      trigger.quietUntil = event.t + (trigger.spec.pause ?? 0);
      const end = Math.max(...events.map((one) => one.end));
      return [{ query: trigger.spec.query, actions: trigger.spec.do, events, t: events[0]!.t, end }];
    });
  }

  #match(trigger: CompiledTrigger, event: EventLine): readonly EventLine[] | undefined {
    if (trigger.test) return trigger.test(event) ? [event] : undefined;
    const match = matchEvents(trigger.compiled, this.#events).findLast(({ events }) => events.at(-1) === event);
    // A longer series of the same events is no further match.
    if (!match || match.t <= trigger.reported) return undefined;
    trigger.reported = event.t;
    return match.events;
  }
}
