import type { Word } from '../dictionary.ts';
import { beForms, getForms, haveForms, modals } from './closed.ts';
import type { Entry } from './lexicon.ts';
import type { Reader } from './reader.ts';

/** A verb as it was read, auxiliaries included. */
export interface Verb {
  readonly word: Word;
  readonly voice: 'active' | 'passive' | 'nominal';
  readonly form: Entry['form'];
  readonly negated: boolean;
  readonly start: number;
  readonly end: number;
  readonly cost: number;
  /** A particle that must still come ("picks key up"). */
  readonly pending: string | undefined;
}

interface Auxiliaries {
  readonly last: 'be' | 'get' | 'have' | 'modal' | undefined;
  readonly negated: boolean;
  readonly end: number;
  readonly count: number;
}

const maxAuxiliaries = 4;
const negations = new Set(['not', 'never', "n't"]);

/** Every way to read a verb at `at`: "kills", "has killed", "is killed" (passive), "is killing", "death" (nominal). */
export function verbsAt(reader: Reader, at: number): readonly Verb[] {
  return reader.memo(`verb ${at}`, () => {
    const verbs: Verb[] = [];
    for (const auxiliaries of auxiliariesAt(reader, at)) {
      if (!reader.step()) break;
      for (const { entry, end, cost, pending } of reader.lexicon.find(
        'action',
        reader.tokens,
        auxiliaries.end,
        reader.game,
      )) {
        for (const read of voicesOf(entry, auxiliaries, reader.lists)) {
          const { negated } = auxiliaries;
          verbs.push({
            word: entry.word,
            form: entry.form,
            voice: read.voice,
            negated,
            start: at,
            end,
            cost: 1 + cost + read.cost,
            pending,
          });
        }
      }
    }
    if (verbs.length === 0) reader.expect(at, 'a verb');
    for (const verb of verbs) reader.reach(verb.end);
    return cheapest(verbs);
  });
}

/** One verb per word, voice and extent: the nearest to what `render` writes. */
function cheapest(verbs: readonly Verb[]): readonly Verb[] {
  const best = new Map<string, Verb>();
  for (const verb of verbs) {
    const key = `${verb.word.order} ${verb.voice} ${verb.end} ${verb.negated}`;
    const known = best.get(key);
    if (!known || verb.cost < known.cost) best.set(key, verb);
  }
  return [...best.values()];
}

function auxiliariesAt(reader: Reader, at: number): Auxiliaries[] {
  const found: Auxiliaries[] = [{ last: undefined, negated: false, end: at, count: 0 }];
  let negated = false;
  for (let i = at; i < at + maxAuxiliaries + 1; i++) {
    const lower = reader.lower(i) ?? '';
    const kind = auxiliaryKind(lower);
    if (negations.has(lower)) negated = true;
    else if (kind === undefined) break;
    const before = found.at(-1)!.last;
    found.push({ last: kind ?? before, negated, end: i + 1, count: found.length });
  }
  return found;
}

function auxiliaryKind(lower: string): Auxiliaries['last'] {
  if (beForms.has(lower)) return 'be';
  if (getForms.has(lower)) return 'get';
  if (haveForms.has(lower)) return 'have';
  return modals.has(lower) ? 'modal' : undefined;
}

type Voice = { readonly voice: Verb['voice']; readonly cost: number };

/** How a form can be meant behind these auxiliaries; `cost` as in `Found`. */
function voicesOf({ form, word }: Entry, auxiliaries: Auxiliaries, lists: boolean): readonly Voice[] {
  // A past form serves as participle where the two are the same.
  const participle = form === 'participle' || (form === 'past' && word.forms.past === word.forms.participle);
  const extra = auxiliaries.count > 1 || auxiliaries.negated ? 1 : 0;
  switch (auxiliaries.last) {
    case undefined:
      return bareVoices(form, participle, extra, lists && !auxiliaries.negated);
    case 'be':
      if (form === 'gerund') return [{ voice: 'active', cost: 1 }];
      return participle ? [{ voice: 'passive', cost: extra }] : [];
    case 'get':
      return participle ? [{ voice: 'passive', cost: 1 }] : [];
    case 'have':
      return participle ? [{ voice: 'active', cost: 1 }] : [];
    case 'modal':
      return form === 'base' ? [{ voice: 'active', cost: 1 }] : [];
  }
}

function bareVoices(form: Entry['form'], participle: boolean, extra: number, nominal: boolean): readonly Voice[] {
  if (form === 'noun' || form === 'nouns') return nominal ? [{ voice: 'nominal', cost: 0 }] : [];
  const active: Voice[] = form === 'participle' ? [] : [{ voice: 'active', cost: (activeCost[form] ?? 0) + extra }];
  // "enemy killed by player"
  return participle ? [...active, { voice: 'passive', cost: 3 }] : active;
}

const activeCost: Readonly<Record<string, number>> = { third: 0, base: 0, past: 1, gerund: 2 };
