import { shapeStatement } from '../events/shape.ts';
import { Pattern } from '../pattern/pattern.ts';
import { type Complain, escape, isObject, type Json, membersOf, tolerant } from './check-tools.ts';
import type { KindSchemas } from './schema.ts';

/** That one detector or sequence needs another. */
interface Need {
  readonly other: string;
  readonly pointer: string;
  readonly verb: 'waits for' | 'is switched by' | 'follows' | 'consists of';
}

/** How detectors, regions, modes and sequences hang together: nothing depends on itself, nothing on what comes too late. */
export function checkLinks(value: unknown, kinds: KindSchemas | undefined, complain: Complain): void {
  const detectors = new Map(membersOf(value, 'detectors'));
  for (const [name] of membersOf(value, 'sequences'))
    if (detectors.has(name))
      complain('name-taken', `/sequences/${escape(name)}`, `a detector has the name “${name}” already`);
  checkCircles(needsOf(value), complain);
  checkValues(value, complain);
  checkSequences(value, complain);
  checkRelative(value, detectors, kinds, complain);
  checkMedia(value, detectors, kinds, complain);
  for (const [name, { interval, every }] of detectors)
    if (interval !== undefined && every !== undefined)
      complain(
        'two-samplings',
        `/detectors/${escape(name)}/every`,
        `“${name}” is sampled either by time or by frames`,
        'Leave out “interval” or “every”.',
      );
  for (const [screen, { detector }] of membersOf(value, 'screens')) {
    const spec = detectors.get(String(detector));
    const region = isObject(spec) ? regionOf(value, spec) : undefined;
    if (spec?.['after'] === undefined && spec?.['modes'] === undefined && region?.['modes'] === undefined) continue;
    const message = `“${String(detector)}” must always be read to tell a screen`;
    complain('screen-detector', `/screens/${escape(screen)}`, message, 'Leave out its “after” and “modes”.');
  }
}

function regionOf(value: unknown, spec: Json): Json | undefined {
  return new Map(membersOf(value, 'regions')).get(String(spec['region']));
}

/** By name of detector or sequence: what it cannot be without. */
function needsOf(value: unknown): Map<string, Need[]> {
  const modes = new Map(membersOf(value, 'modes'));
  const needs = new Map<string, Need[]>();
  for (const [name, spec] of membersOf(value, 'detectors')) {
    const own: Need[] = [];
    const add = (verb: Need['verb'], link: unknown, pointer: string): void => {
      if (isObject(link) && typeof link['detector'] === 'string') own.push({ other: link['detector'], pointer, verb });
    };
    const at = `/detectors/${escape(name)}`;
    add('waits for', spec['when'], `${at}/when`);
    for (const one of [spec['after']].flat()) {
      add('is switched by', one, `${at}/after`);
      if (isObject(one)) add('is switched by', one['until'], `${at}/after`);
    }
    const region = regionOf(value, spec);
    add('follows', region?.['relative'], `${at}/region`);
    for (const [list, pointer] of [
      [spec['modes'], `${at}/modes`],
      [region?.['modes'], `${at}/region`],
    ] as const)
      if (Array.isArray(list)) for (const mode of list) add('is switched by', modes.get(String(mode)), pointer);
    needs.set(name, own);
  }
  for (const [name, { steps, unless }] of membersOf(value, 'sequences')) {
    const links = [...(Array.isArray(steps) ? (steps as unknown[]) : []), unless].filter(isObject);
    const own = links.map(
      ({ detector }): Need => ({
        other: String(detector),
        pointer: `/sequences/${escape(name)}`,
        verb: 'consists of',
      }),
    );
    needs.set(name, own);
  }
  return needs;
}

/** Tells each circle once, at its first member. */
function checkCircles(needs: ReadonlyMap<string, readonly Need[]>, complain: Complain): void {
  const done = new Set<string>();
  const visit = (name: string, path: readonly (readonly [string, Need])[]): void => {
    const start = path.findIndex(([member]) => member === name);
    if (start >= 0) {
      const circle = path.slice(start);
      const first = circle[0]![1];
      const told = circle.map(([member, { verb }]) => `“${member}” ${verb} `).join('');
      const waits = circle.every(([, { verb }]) => verb === 'waits for');
      const message = circle.length > 1 || !waits ? `${told}“${name}”` : `“${name}” waits for itself`;
      complain(waits ? 'circular-when' : 'circular-dependency', first.pointer, message, HINT);
      return;
    }
    if (done.has(name)) return;
    for (const need of needs.get(name) ?? []) visit(need.other, [...path, [name, need]]);
    done.add(name);
  };
  for (const name of needs.keys()) visit(name, []);
}

const HINT = 'One of them must be read by itself.';

/** Values that are wanted: regular expressions among them, and bounds between which nothing lies. */
function checkValues(value: unknown, complain: Complain): void {
  const wanted = [
    ...membersOf(value, 'modes').map(([name, mode]) => [mode['value'], `/modes/${escape(name)}/value`] as const),
    ...membersOf(value, 'screens').map(
      ([name, screen]) => [screen['value'], `/screens/${escape(name)}/value`] as const,
    ),
    ...membersOf(value, 'detectors').flatMap(([name, { when }]) =>
      isObject(when) ? [[when['value'], `/detectors/${escape(name)}/when/value`] as const] : [],
    ),
  ];
  for (const [values, pointer] of wanted)
    for (const [i, one] of [values].flat().entries()) {
      const at = Array.isArray(values) ? `${pointer}/${i}` : pointer;
      if (isObject(one) && typeof one['min'] === 'number' && typeof one['max'] === 'number' && one['min'] > one['max'])
        complain('empty-range', at, `nothing lies between min ${one['min']} and max ${one['max']}`);
      const expression = typeof one === 'string' ? /^\/(.*)\/$/su.exec(one)?.[1] : undefined;
      if (expression === undefined) continue;
      try {
        void new Pattern(expression);
      } catch (error) {
        complain('schema-form', at, `“value” is not a regular expression: ${(error as Error).message}`);
      }
    }
}

function checkSequences(value: unknown, complain: Complain): void {
  for (const [name, { steps, statement }] of membersOf(value, 'sequences')) {
    if (!isObject(statement) || !Array.isArray(steps)) continue;
    const pointer = `/sequences/${escape(name)}/statement`;
    const text = JSON.stringify(statement);
    for (const [, digit] of text.matchAll(/\$(\d)/g))
      if (Number(digit) < 1 || Number(digit) > steps.length)
        complain('unknown-group', pointer, `$${digit} stands for a step that “steps” does not have`);
    const shaped = shapeStatement(JSON.parse(text.replaceAll(/"\$(?:value|previous|\d)"/g, '1'), tolerant));
    if (!('issues' in shaped)) continue;
    for (const { path, message } of shaped.issues)
      complain('statement-shape', `${pointer}${path === '' ? '' : `/${path}`}`, message);
  }
}

/** Whether others decide when a detector is read, or it may have to wait for its place. */
function isSwitched(
  value: unknown,
  name: string,
  detectors: ReadonlyMap<string, Json>,
  above: readonly string[] = [],
): boolean {
  const spec = detectors.get(name);
  if (spec === undefined || above.includes(name)) return false;
  const region = regionOf(value, spec);
  if (spec['after'] !== undefined || spec['modes'] !== undefined || region?.['modes'] !== undefined) return true;
  const links = [spec['when'], region?.['relative']].filter(isObject);
  return links.some(
    ({ detector, hold }) => hold !== undefined || isSwitched(value, String(detector), detectors, [...above, name]),
  );
}

/** What a region follows must say where it found something, and what looks there must not need to know beforehand. */
function checkRelative(
  value: unknown,
  detectors: ReadonlyMap<string, Json>,
  kinds: KindSchemas | undefined,
  complain: Complain,
): void {
  for (const [name, { relative }] of membersOf(value, 'regions')) {
    if (!isObject(relative)) continue;
    const followed = detectors.get(String(relative['detector']));
    const pointer = `/regions/${escape(name)}/relative`;
    if (kinds?.places && followed && !kinds.places.get(String(followed['kind']))?.(followed))
      complain(
        'no-place',
        `${pointer}/detector`,
        `“${String(relative['detector'])}” does not say where it found something`,
        'Icons do, and networks that find boxes.',
      );
    if (relative['hold'] !== undefined && isSwitched(value, String(relative['detector']), detectors))
      complain(
        'no-place',
        `${pointer}/hold`,
        `“${String(relative['detector'])}” is not always read: what it found last is not known`,
        'Leave out “hold”, or read it always.',
      );
    for (const [detector, spec] of detectors) {
      if (spec['region'] !== name || kinds?.late?.get(String(spec['kind'])) !== 'compare') continue;
      const message = `“${detector}” compares a place with itself: its region cannot follow anything`;
      complain('late-detector', `/detectors/${escape(detector)}/region`, message);
    }
  }
}

/** What is decided within one sample is decided within one recording: those of two are never taken at the same time. */
function checkMedia(
  value: unknown,
  detectors: ReadonlyMap<string, Json>,
  kinds: KindSchemas | undefined,
  complain: Complain,
): void {
  const mediaOf = (name: unknown): unknown => detectors.get(String(name))?.['media'];
  const screens = new Map(membersOf(value, 'screens'));
  for (const [name, spec] of detectors) {
    const { media, when, screens: shownOn } = spec;
    const at = `/detectors/${escape(name)}`;
    const apart = (other: unknown): boolean => detectors.has(String(other)) && mediaOf(other) !== media;
    const relative = regionOf(value, spec)?.['relative'];
    const told = (verb: string, other: unknown): string =>
      `“${name}” cannot ${verb} “${String(other)}”, which is read in another recording`;
    if (isObject(when) && apart(when['detector']))
      complain(
        'other-media',
        `${at}/when`,
        told('wait for', when['detector']),
        'Cues can switch it on: “after”, “modes”.',
      );
    if (isObject(relative) && apart(relative['detector']))
      complain('other-media', `${at}/region`, told('follow', relative['detector']));
    for (const screen of Array.isArray(shownOn) ? (shownOn as unknown[]) : [])
      if (apart(screens.get(String(screen))?.['detector']))
        complain(
          'other-media',
          `${at}/screens`,
          told('be read on the screen of', screens.get(String(screen))!['detector']),
        );
    if (media !== undefined && kinds?.late?.get(String(spec['kind'])) === 'follow')
      complain(
        'other-media',
        `${at}/media`,
        `“${name}” reads a file: “media” means nothing for it`,
        'Name the file by “stream”.',
      );
  }
}
