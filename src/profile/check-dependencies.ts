import { messageOf } from '../errors.ts';
import { appendPointer, isObject, type JsonObject } from '../json.ts';
import { Pattern } from '../pattern.ts';
import { jsonText } from '../schema/json-text.ts';
import type { KindCatalog } from './schema.ts';
import { checkBounds, membersOf, type Report, regionOf } from './unchecked.ts';

/** Checks how detectors, regions, modes, screens and sequences depend on one another. */
export function checkDependencies(value: unknown, catalog: KindCatalog | undefined, report: Report): void {
  const detectors = new Map(membersOf(value, 'detectors'));
  for (const [name] of membersOf(value, 'sequences'))
    if (detectors.has(name))
      report('name-taken', appendPointer('/sequences', name), `a detector is already named "${name}"`);
  checkCycles(dependenciesOf(value), report);
  checkValueConditions(value, report);
  checkRelativeRegions(value, detectors, catalog, report);
  checkMedia(value, detectors, catalog, report);
  for (const [name, { interval, every }] of detectors)
    if (interval !== undefined && every !== undefined)
      report(
        'two-samplings',
        appendPointer('/detectors', name, 'every'),
        `"${name}" has both "interval" and "every"`,
        'Remove one of them.',
      );
  for (const [screen, { detector }] of membersOf(value, 'screens')) {
    const spec = detectors.get(jsonText(detector));
    if (spec === undefined || !hasActivation(value, spec)) continue;
    const message = `"${jsonText(detector)}" identifies a screen, so it must always be read`;
    report('screen-detector', appendPointer('/screens', screen), message, 'Remove its "after" and "modes".');
  }
}

/** A dependency of a detector or sequence on another. */
interface Dependency {
  readonly other: string;
  readonly pointer: string;
  readonly verb: 'waits for' | 'is activated by' | 'is positioned by' | 'consists of';
}

/** The dependencies of every detector and sequence. */
function dependenciesOf(value: unknown): Map<string, Dependency[]> {
  const modes = new Map(membersOf(value, 'modes'));
  const dependencies = new Map<string, Dependency[]>();
  for (const [name, spec] of membersOf(value, 'detectors')) {
    const own: Dependency[] = [];
    const add = (verb: Dependency['verb'], link: unknown, pointer: string): void => {
      if (isObject(link) && typeof link['detector'] === 'string') own.push({ other: link['detector'], pointer, verb });
    };
    const at = appendPointer('/detectors', name);
    const region = regionOf(value, spec);
    add('waits for', spec['when'], `${at}/when`);
    for (const activation of [spec['after']].flat()) {
      add('is activated by', activation, `${at}/after`);
      if (isObject(activation)) add('is activated by', activation['until'], `${at}/after`);
    }
    add('is positioned by', region?.['relative'], `${at}/region`);
    for (const [list, pointer] of [
      [spec['modes'], `${at}/modes`],
      [region?.['modes'], `${at}/region`],
    ] as const)
      if (Array.isArray(list)) for (const mode of list) add('is activated by', modes.get(jsonText(mode)), pointer);
    dependencies.set(name, own);
  }
  for (const [name, { steps, unless }] of membersOf(value, 'sequences')) {
    const links = [...(Array.isArray(steps) ? (steps as unknown[]) : []), unless].filter(isObject);
    const pointer = appendPointer('/sequences', name);
    dependencies.set(
      name,
      links.map(({ detector }) => ({ other: jsonText(detector), pointer, verb: 'consists of' })),
    );
  }
  return dependencies;
}

/** Reports each cycle once, at its first member. */
function checkCycles(dependencies: ReadonlyMap<string, readonly Dependency[]>, report: Report): void {
  const done = new Set<string>();
  const visit = (name: string, path: readonly (readonly [string, Dependency])[]): void => {
    const start = path.findIndex(([member]) => member === name);
    if (start >= 0) {
      const cycle = path.slice(start);
      const isWhen = cycle.every(([, { verb }]) => verb === 'waits for');
      const chain = cycle.map(([member, { verb }]) => `"${member}" ${verb} `).join('');
      report(
        isWhen ? 'circular-when' : 'circular-dependency',
        cycle[0]![1].pointer,
        `circular dependency: ${chain}"${name}"`,
        'One of them must not depend on the others.',
      );
      return;
    }
    if (done.has(name)) return;
    for (const dependency of dependencies.get(name) ?? []) visit(dependency.other, [...path, [name, dependency]]);
    done.add(name);
  };
  for (const name of dependencies.keys()) visit(name, []);
}

/** Checks the regular expressions and bounds of `value` conditions. */
function checkValueConditions(value: unknown, report: Report): void {
  const conditions = [
    ...(['modes', 'screens'] as const).flatMap((section) =>
      membersOf(value, section).map(([name, member]) => [member['value'], appendPointer('', section, name)] as const),
    ),
    ...membersOf(value, 'detectors').flatMap(([name, { when }]) =>
      isObject(when) ? [[when['value'], appendPointer('/detectors', name, 'when')] as const] : [],
    ),
  ];
  for (const [values, parent] of conditions)
    for (const [index, single] of [values].flat().entries()) {
      const pointer = Array.isArray(values) ? `${parent}/value/${index}` : `${parent}/value`;
      if (isObject(single)) checkBounds(single, pointer, report);
      const expression = typeof single === 'string' ? /^\/(.*)\/$/su.exec(single)?.[1] : undefined;
      if (expression === undefined) continue;
      try {
        void new Pattern(expression);
      } catch (error) {
        report('schema-form', pointer, `"value" is not a regular expression: ${messageOf(error)}`);
      }
    }
}

/** Whether a detector is read only at times, by its own options or those of its region. */
function hasActivation(value: unknown, spec: JsonObject): boolean {
  return [spec['after'], spec['modes'], regionOf(value, spec)?.['modes']].some((option) => option !== undefined);
}

/** Whether a detector, or one it depends on within a sample, is read only at times or where something was last found. */
function isConditional(
  value: unknown,
  name: string,
  detectors: ReadonlyMap<string, JsonObject>,
  visited = new Set<string>(),
): boolean {
  const spec = detectors.get(name);
  // One that was visited before is not conditional, or its caller has the answer.
  if (spec === undefined || visited.has(name)) return false;
  visited.add(name);
  if (hasActivation(value, spec)) return true;
  const links = [spec['when'], regionOf(value, spec)?.['relative']].filter(isObject);
  return links.some(
    ({ detector, hold }) => hold !== undefined || isConditional(value, jsonText(detector), detectors, visited),
  );
}

/** A relative region needs a detector that says where it found something; with `hold`, one that is always read. */
function checkRelativeRegions(
  value: unknown,
  detectors: ReadonlyMap<string, JsonObject>,
  catalog: KindCatalog | undefined,
  report: Report,
): void {
  for (const [name, { relative }] of membersOf(value, 'regions')) {
    if (!isObject(relative)) continue;
    const target = jsonText(relative['detector']);
    const spec = detectors.get(target);
    const pointer = appendPointer('/regions', name, 'relative');
    if (catalog && spec && !catalog.kinds.get(jsonText(spec['kind']))?.places?.(spec))
      report(
        'no-place',
        `${pointer}/detector`,
        `"${target}" does not report where it found something`,
        'Use an icon detector, or an onnx detector that detects boxes.',
      );
    if (relative['hold'] !== undefined && isConditional(value, target, detectors))
      report(
        'no-place',
        `${pointer}/hold`,
        `"${target}" is not always read, so its last find is unknown`,
        'Remove "hold", or read the detector always.',
      );
    for (const [detector, { region, kind }] of detectors)
      if (region === name && catalog?.kinds.get(jsonText(kind))?.input === 'frame-pair')
        report(
          'late-detector',
          appendPointer('/detectors', detector, 'region'),
          `"${detector}" compares the same place in two samples, so its region cannot be relative`,
        );
  }
}

/** Detectors that depend on one another within a sample must read the same recording. */
function checkMedia(
  value: unknown,
  detectors: ReadonlyMap<string, JsonObject>,
  catalog: KindCatalog | undefined,
  report: Report,
): void {
  const screens = new Map(membersOf(value, 'screens'));
  for (const [name, spec] of detectors) {
    const { media, when, screens: shownOn } = spec;
    const at = appendPointer('/detectors', name);
    const requireSameMedia = (verb: string, link: unknown, option: string, hint?: string): void => {
      const other = isObject(link) ? jsonText(link['detector']) : undefined;
      if (other === undefined || !detectors.has(other) || detectors.get(other)?.['media'] === media) return;
      report(
        'other-media',
        `${at}/${option}`,
        `"${name}" cannot ${verb} "${other}", which reads another recording`,
        hint,
      );
    };
    requireSameMedia('wait for', when, 'when', 'Activate it by cues instead: "after", "modes".');
    requireSameMedia('be positioned by', regionOf(value, spec)?.['relative'], 'region');
    for (const screen of Array.isArray(shownOn) ? (shownOn as unknown[]) : [])
      requireSameMedia('be read on the screen of', screens.get(jsonText(screen)), 'screens');
    if (media !== undefined && catalog?.kinds.get(jsonText(spec['kind']))?.input === 'records')
      report(
        'other-media',
        `${at}/media`,
        `"media" has no effect on "${name}", which reads a file`,
        'Name the file by "stream".',
      );
  }
}
