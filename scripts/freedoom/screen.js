// HUD elements independent of the layout: status bar, bare numbers, or lines of text.

/** The rows of the small ammunition table. */
export const ROWS = ['bullets', 'shells', 'rockets', 'cells'];

/** Maximum seconds between the changes of the large number and its row. */
export const RELATED_SECONDS = 0.15;

/** Prefixes of the detectors of each layout, such as `bare health`. */
const LAYOUTS = ['', 'bare ', 'text '];

const LAYOUT_ELEMENTS = ['health', 'armor', 'ammunition', ...ROWS];

/** The element of a cue, without the layout. */
export function elementOf({ detector }) {
  return detector.replace(/^(?:bare|text) /, '');
}

/** The reading of an element in the layout that is on the screen. */
export function readElement(name, game) {
  const names = LAYOUT_ELEMENTS.includes(name) ? LAYOUTS.map((layout) => layout + name) : [name];
  return names.map((one) => game.reading(one)).find((value) => value !== undefined);
}
