import type { VerbForms } from '../inflect.ts';

export type Tense = 'present' | 'past' | 'perfect' | 'future';
export type Person = 'first' | 'second' | 'third';

/** A verb with its auxiliaries, in agreement with its subject: "kills", "has killed", "is killed", "will be killed". */
export function verbPhrase(forms: VerbForms, tense: Tense, person: Person, plural: boolean, passive: boolean): string {
  const third = person === 'third' && !plural;
  const have = third ? 'has' : 'have';
  if (passive) {
    const be = {
      present: person === 'first' && !plural ? 'am' : third ? 'is' : 'are',
      past: third || person === 'first' ? 'was' : 'were',
    };
    if (tense === 'future') return `will be ${forms.participle}`;
    return `${tense === 'perfect' ? `${have} been` : be[tense]} ${forms.participle}`;
  }
  switch (tense) {
    case 'present':
      return third ? forms.third : forms.base;
    case 'past':
      return forms.past;
    case 'perfect':
      return `${have} ${forms.participle}`;
    case 'future':
      return `will ${forms.base}`;
  }
}

const changes = {
  rise: ['rises', 'rose', 'has risen', 'will rise'],
  drop: ['drops', 'dropped', 'has dropped', 'will drop'],
  change: ['changes', 'changed', 'has changed', 'will change'],
  become: ['becomes', 'became', 'has become', 'will become'],
  stay: ['stays', 'stayed', 'has stayed', 'will stay'],
} as const;
const tenses: readonly Tense[] = ['present', 'past', 'perfect', 'future'];

/** The verb by which a property changes. */
export function changeForms(verb: keyof typeof changes, tense: Tense, plural = false): string {
  const form = changes[verb][tenses.indexOf(tense)]!;
  if (!plural) return form;
  return tense === 'present' ? verb : form.replace(/^has /, 'have ');
}
