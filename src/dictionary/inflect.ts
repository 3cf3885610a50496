// English morphology: regular rules, a table of irregular verbs, and whatever a dictionary entry says itself.
import { irregularVerb } from './irregular.ts';

const vowels = /[aeiou]/i;

/** Does a short word end in consonant–vowel–consonant, so that its last letter is doubled (stop, stopped)? */
function doubles(word: string): boolean {
  return /^[^aeiou]*(?:qu)?[aeiou][bdfgklmnprstvz]$/i.test(word);
}

function replaceLast(phrase: string, inflect: (word: string) => string): string {
  const cut = phrase.lastIndexOf(' ') + 1;
  return phrase.slice(0, cut) + inflect(phrase.slice(cut));
}

/** `sword` → `swords`, `body` → `bodies`, `box` → `boxes`; of a phrase the last word, or the one before "of" or "in". */
export function pluralOf(name: string): string {
  const head = /^(.+?)( (?:of|in|on|to|for|from|with) .+)$/.exec(name);
  if (head) return pluralOf(head[1]!) + head[2]!;
  return replaceLast(name, (word) => {
    if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
    if (/(?:s|x|z|ch|sh)$/i.test(word)) return `${word}es`;
    if (word.endsWith('man') && word !== 'human') return `${word.slice(0, -3)}men`;
    return `${word}s`;
  });
}

/** `kill` → `kills`, `carry` → `carries`, `push` → `pushes`. */
function thirdOf(verb: string): string {
  if (verb === 'be') return 'is';
  if (verb === 'have') return 'has';
  if (/[^z]z$/i.test(verb) && doubles(verb)) return `${verb}zes`;
  if (/[^aeiou]y$/i.test(verb)) return `${verb.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh|o)$/i.test(verb)) return `${verb}es`;
  return `${verb}s`;
}

/** `kill` → `killed`, `stop` → `stopped`, `carry` → `carried`, `move` → `moved`. */
function pastOf(verb: string): string {
  if (/e$/i.test(verb)) return `${verb}d`;
  if (/[^aeiou]y$/i.test(verb)) return `${verb.slice(0, -1)}ied`;
  return doubles(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
}

/** `kill` → `killing`, `stop` → `stopping`, `move` → `moving`, `die` → `dying`. */
function gerundOf(verb: string): string {
  if (/ie$/i.test(verb)) return `${verb.slice(0, -2)}ying`;
  if (/[^eoy]e$/i.test(verb) && vowels.test(verb.slice(0, -1))) return `${verb.slice(0, -1)}ing`;
  return doubles(verb) ? `${verb}${verb.at(-1)}ing` : `${verb}ing`;
}

/** The forms of a verb, or of an action of several words in which one is the verb. */
export interface VerbForms {
  readonly base: string;
  readonly third: string;
  readonly past: string;
  readonly participle: string;
  readonly gerund: string;
}

export interface IrregularForms {
  readonly third?: string | undefined;
  readonly past?: string | undefined;
  readonly participle?: string | undefined;
  readonly gerund?: string | undefined;
  readonly verb?: string | undefined;
}

/**
 * All forms of `name`. Irregular forms are given of the verb alone (`"past": "shot"` of "shoot down"); in an action of
 * several words the first is the verb unless `verb` names another ("double jump", verb "jump").
 */
export function verbForms(name: string, irregular: IrregularForms = {}): VerbForms {
  const words = name.split(' ');
  const at = irregular.verb === undefined ? 0 : Math.max(0, words.indexOf(irregular.verb));
  const verb = words[at]!;
  const put = (form: string): string => words.map((word, index) => (index === at ? form : word)).join(' ');
  const known = irregularVerb(verb);
  const past = irregular.past ?? known?.past ?? pastOf(verb);
  return {
    base: name,
    third: put(irregular.third ?? thirdOf(verb)),
    past: put(past),
    participle: put(irregular.participle ?? (irregular.past === undefined ? known?.participle : undefined) ?? past),
    gerund: put(irregular.gerund ?? known?.gerund ?? gerundOf(verb)),
  };
}
