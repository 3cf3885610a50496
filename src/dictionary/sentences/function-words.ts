import type { SlotName } from '../format.ts';

// The closed classes of English that sentences about play use: articles, auxiliaries, prepositions, verbs of change.

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Left out of a statement: they say nothing that it keeps. */
export const articles = set('a an the some his her its their own');

/** Stand for the player. */
export const playerPronouns = set('you i me');
export const playerPossessives = set('your my');

export const beForms = set('is are was were be been being am');
export const getForms = set('get gets got');
export const haveForms = set('has have had');
export const modals = set('will would did does do can could');

/** How a slot may be introduced, the usual preposition first. */
export const slotPrepositions: Readonly<Record<'with' | 'to' | 'from' | 'at', readonly string[]>> = {
  with: ['with', 'using', 'by means of', 'via'],
  to: ['to', 'towards', 'toward'],
  from: ['from', 'out of', 'off'],
  at: [
    'at',
    'in',
    'on',
    'into',
    'onto',
    'inside',
    'within',
    'near',
    'through',
    'over',
    'under',
    'across',
    'along',
    'around',
    'behind',
  ],
};

export type PrepositionSlot = keyof typeof slotPrepositions;
export const prepositionSlots = Object.keys(slotPrepositions) as readonly PrepositionSlot[];

/** `true` for a preposition that introduces the amount. */
export const amountPreposition: SlotName = 'amount';

export const riseVerbs = set('rises rise rose risen rising increases increase increased climbs climbed grows grew');
export const dropVerbs = set(
  'drops drop dropped falls fall fell decreases decrease decreased sinks sank declines declined shrinks',
);
export const changeVerbs = set('changes change changed switches switched turns turned goes went');
export const becomeVerbs = set('becomes become became is was are were equals reaches reached');
export const stayVerbs = set('stays stay stayed remains remained');

const others = set(
  'by of and or not no except but without who that which then and there this those these same any every each all ' +
    'for above below least most more less than before after until between first last count how many often up down ' +
    'followed unless other excluding both either grouped per total altogether same confidence game session low high ' +
    'during within around about since until final ms s sec secs second seconds m min mins minute minutes h hour hours start end',
);

/** Every word of the closed classes: no plain proper name begins with one. */
export const functionWords: ReadonlySet<string> = new Set([
  ...articles,
  ...playerPronouns,
  ...playerPossessives,
  ...beForms,
  ...getForms,
  ...haveForms,
  ...modals,
  ...Object.values(slotPrepositions).flatMap((list) => list.flatMap((text) => text.split(' '))),
  ...riseVerbs,
  ...dropVerbs,
  ...changeVerbs,
  ...becomeVerbs,
  ...stayVerbs,
  ...others,
]);
