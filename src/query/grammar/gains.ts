import { propertyHeadsAt } from '../../dictionary/sentences/changes.ts';
import { nounsAt } from '../../dictionary/sentences/nouns.ts';
import { comparisonAt, type Range } from '../../dictionary/sentences/ranges.ts';
import type { Reader } from '../../dictionary/sentences/reader.ts';
import { numberOf } from '../../dictionary/sentences/tokens.ts';
import type { NounList } from '../../dictionary/sentences/clauses.ts';
import { nounLists } from './phrases.ts';

/**
 * "player loses 20 health", "player gains armor", "losing health": a property that goes one way, perhaps by so much. Whoever "takes
 * damage" loses health.
 */
export interface Gain {
  readonly subject: NounList | undefined;
  readonly head: ReturnType<typeof propertyHeadsAt>[number];
  readonly change: 'rises' | 'drops';
  readonly by: Range | undefined;
  readonly end: number;
  readonly cost: number;
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const verbs = [
  ['drops', set('loses lose lost losing')],
  ['rises', set('gains gain gained gaining regains regained recovers recovered')],
] as const;
const takes = set('takes take took taken taking suffers suffer suffered suffering');
const auxiliaries = set('has have had is was');

/** Every such clause at `at`. */
export function gainsAt(reader: Reader, at: number): Gain[] {
  return [
    ...behindSubject(reader, at, undefined),
    ...nounLists(reader, at, 'object').flatMap((subject) => behindSubject(reader, subject.end, subject)),
  ];
}

function behindSubject(reader: Reader, at: number, subject: NounList | undefined): Gain[] {
  const from = subject && auxiliaries.has(reader.lower(at) ?? '') ? at + 1 : at;
  const isTaking = takes.has(reader.lower(from) ?? '');
  const verb = isTaking ? verbs[0] : verbs.find(([, forms]) => forms.has(reader.lower(from) ?? ''));
  if (!verb) return [];
  const compared = comparisonAt(reader, from + 1);
  const number = numberOf(reader.tokens[from + 1]);
  const amounts: { by: Range | undefined; end: number }[] = [
    { by: undefined, end: from + 1 },
    ...(compared ? [{ by: compared.range, end: compared.end }] : []),
    ...(number === undefined ? [] : [{ by: { min: number, max: number }, end: from + 2 }]),
  ];
  return amounts.flatMap(({ by, end }) => {
    // "20 points of health"
    const unit = by && nounsAt(reader, end).find((noun) => reader.lower(noun.end) === 'of');
    const start = unit ? unit.end + 1 : end;
    return (isTaking ? damageAt(reader, start) : propertyHeadsAt(reader, start, nounLists))
      .filter((head) => !head.subject)
      .map((head) => ({
        subject,
        head,
        change: verb[0],
        by,
        end: head.end,
        cost: (subject?.cost ?? 0) + head.cost + 1,
      }));
  });
}

/** "damage", which is of health. */
function damageAt(reader: Reader, at: number): Gain['head'][] {
  const word = reader.lower(at) === 'damage' ? reader.dictionary.find('health', 'property') : undefined;
  if (!word) return [];
  reader.reach(at + 1);
  const head = { start: at, end: at + 1 };
  return [{ kind: 'property', properties: [{ word, cost: 0 }], head, start: at, end: at + 1, cost: 1 }];
}
