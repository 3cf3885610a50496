// What the screen shows, in whichever layout: the status bar, bare figures, or lines of text.

/** The rows of the small table: which ammunition the big figure may be showing. */
export const ROWS = ['bullets', 'shells', 'rockets', 'cells'];

/** Seconds within which the big figure and its row of the table change together. */
export const TOGETHER = 0.15;

/** Without a status bar the figures stand bare upon the scene, or as lines of text: each by a detector of its own, `bare health`. */
const LAYOUTS = ['', 'bare ', 'text '];

const LAID_OUT = ['health', 'armor', 'ammunition', ...ROWS];

/** What a cue is about, in whichever layout it is shown. */
export function elementOf({ detector }) {
  return detector.replace(/^(?:bare|text) /, '');
}

/** What an element shows, in the layout that is on the screen. */
export function shown(name, game) {
  const names = LAID_OUT.includes(name) ? LAYOUTS.map((layout) => layout + name) : [name];
  return names.map((one) => game.reading(one)).find((value) => value !== undefined);
}
