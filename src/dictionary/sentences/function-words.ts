/** The closed word classes of English that sentences about games use. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Determiners, which a statement does not record. */
export const articles = words('a an the some his her its their own');

/** Pronouns for the player. */
export const playerPronouns = words('you i me');
/** Possessive pronouns for the player. */
export const playerPossessives = words('your my');

/** Forms of “be”. */
export const beForms = words('is are was were be been being am');
/** Forms of “get”, the auxiliary of some passives. */
export const getForms = words('get gets got');
/** Forms of “have”. */
export const haveForms = words('has have had');
/** Auxiliary verbs before an infinitive. */
export const modals = words('will would did does do can could');

/** Prepositions that can introduce a slot, the usual one first. */
export const slotPrepositions: Readonly<Record<'with' | 'to' | 'from' | 'at', readonly string[]>> = {
  with: ['with', 'using', 'by means of', 'via'],
  to: ['to', 'towards', 'toward'],
  from: ['from', 'out of', 'off'],
  at: 'at in on into onto inside within near through over under across along around behind'.split(' '),
};

/** The verbs of property changes. */
export const riseVerbs = words('rises rise rose risen rising increases increase increased climbs climbed grows grew');
/** Verbs of a value that falls. */
export const dropVerbs = words(
  'drops drop dropped falls fall fell decreases decrease decreased sinks sank declines declined shrinks',
);
/** Verbs of a value that becomes better. */
export const improveVerbs = words('improves improve improved improving');
/** Verbs of a value that becomes worse. */
export const worsenVerbs = words('worsens worsen worsened worsening');
/** Verbs of a value that changes. */
export const changeVerbs = words('changes change changed switches switched turns turned goes went');
/** Verbs of a value that is reached. */
export const becomeVerbs = words('becomes become became is was are were equals reaches reached');
/** Verbs of a value that remains. */
export const stayVerbs = words('stays stay stayed remains remained');

const otherFunctionWords = words(
  'by of and or not no except but without who that which then and there this those these same any every each all ' +
    'for above below at least most more less than before after until between first last count how many often up down ' +
    'followed unless other excluding both either grouped per total altogether same confidence game session low high ' +
    'during within around about since until final ms s sec secs second seconds m min mins minute minutes h hour hours start end',
);

/** All function words. A proper name that contains one is written in quotes. */
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
  ...improveVerbs,
  ...worsenVerbs,
  ...changeVerbs,
  ...becomeVerbs,
  ...stayVerbs,
  ...otherFunctionWords,
]);

/** Ids of the object and the property of "counter Laps rises from 1 to 2", where the property is not written. */
export const [DISPLAY, READING] = ['display', 'reading'] as const;
/** Id of the unit of time that is written as on a clock from a minute on: "1:24.7". */
export const SECOND = 'second';
