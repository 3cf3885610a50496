import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
import type { WordId } from '../../events/statement.ts';
import type { Condition, GroupKey, Query } from '../query.ts';
import { placed } from '../source-spans.ts';
import { nounLists } from './phrases.ts';

// What a query has around its condition.

export interface Head {
  readonly count?: true;
  readonly first?: number;
  readonly last?: number;
  readonly end: number;
}

/** What stands before the condition: "count", "first 3", "list". */
export function headAt(context: ParseContext): Head {
  for (const phrase of ['count of', 'count', 'number of', 'how many', 'how often']) {
    const end = context.skip(0, phrase);
    if (end !== undefined) return { count: true, end };
  }
  const from = ['list', 'show', 'find', 'all'].includes(context.wordAt(0) ?? '') ? 1 : 0;
  const word = context.wordAt(from) === 'the' ? from + 1 : from;
  const which = context.wordAt(word);
  if (which === 'first' || which === 'last') {
    const number = numberValue(context.tokens[word + 1]);
    const end = number === undefined ? word + 1 : word + 2;
    return { [which]: number ?? 1, end };
  }
  return { end: from };
}

export function assemble(head: Head, find: Condition, by: readonly GroupKey[] | undefined): Query {
  return {
    find,
    ...(head.count && { count: true }),
    ...(by && { by }),
    ...(head.first !== undefined && { first: head.first }),
    ...(head.last !== undefined && { last: head.last }),
  };
}

/** What follows the condition: groups ("by weapon", "per session"). */
export function tailAt(
  context: ParseContext,
  at: number,
  counted: boolean,
): { by?: readonly GroupKey[]; end: number; cost: number } | undefined {
  if (at === context.tokens.length) return { end: at, cost: 0 };
  const behind =
    context.skip(at, 'grouped by') ??
    context.skip(at, 'per') ??
    context.skip(at, 'for each') ??
    (counted ? context.skip(at, 'by') : undefined);
  if (behind === undefined) return undefined;
  const by: GroupKey[] = [];
  let end = behind;
  for (;;) {
    const key = groupAt(context, end);
    if (!key) {
      context.expect(end, 'what to group by');
      return undefined;
    }
    by.push(key.key);
    end = key.end;
    const next = context.wordAt(end) === ',' || context.wordAt(end) === 'and' ? end + 1 : undefined;
    if (next === undefined) break;
    end = context.wordAt(next) === 'by' || context.wordAt(next) === 'per' ? next + 1 : next;
  }
  // "by opponent" behind "count" groups; it is also the cheaper reading than an agent.
  return { by, end, cost: -1 };
}

const roles: Readonly<Record<string, GroupKey>> = {
  subject: { slot: 'subject' },
  killer: { slot: 'subject' },
  attacker: { slot: 'subject' },
  object: { slot: 'object' },
  victim: { slot: 'object' },
  instrument: { slot: 'with' },
  means: { slot: 'with' },
  place: { slot: 'at' },
  manner: { slot: 'manner' },
  property: { slot: 'property' },
  action: { key: 'action' },
  game: { key: 'game' },
  session: { key: 'session' },
  name: { key: 'name' },
  minute: { key: 'minute' },
};

function groupAt(context: ParseContext, at: number): { key: GroupKey; end: number } | undefined {
  const role = roles[context.wordAt(at) ?? ''];
  if (role) return { key: role, end: at + 1 };
  const list = nounLists(context, at, 'object').find(
    ({ any }) => any.length === 1 && any[0]!.name === undefined && any[0]!.words.length > 0,
  );
  if (!list) return undefined;
  const [noun] = list.any;
  const ids = noun!.words.map(({ word }) => word.id);
  // "Kills by player", "by railgun": one that is only itself makes no groups, so it is who did it, or with what.
  if (ids.every((id) => isAlone(context.dictionary, id))) return undefined;
  return { key: { word: placed(ids, context, noun!.head ?? noun!) }, end: list.end };
}

/** The player, and a thing under which nothing stands: neither has names to tell several by. */
function isAlone(dictionary: Dictionary, id: WordId): boolean {
  if (id === 'player') return true;
  return dictionary.descendants(id, 'object').length === 0 && dictionary.isA(id, 'item', 'object');
}
