import type { Issue } from '../errors.ts';
import { parseStatement } from '../events/statement.ts';
import { appendPointer, isObject } from '../json.ts';
import { canonicalLanguageTag } from '../language/tags.ts';
import { Pattern } from '../pattern.ts';
import { checkSchema } from '../schema/check.ts';
import type { Schema } from '../schema/from-schema.ts';
import { jsonText } from '../schema/json-text.ts';
import { suggestSpelling } from '../spelling.ts';
import { checkDependencies } from './check-dependencies.ts';
import { PROFILE_SCHEMA } from './profile.ts';
import { detectorSchema, type KindCatalog } from './schema.ts';
import { checkBounds, keysOf, membersOf, type Report } from './unchecked.ts';
import { frameExtent, withPixelHint } from './units.ts';

/** What a profile refers to outside itself. */
export interface CheckedProfile {
  readonly issues: readonly Issue[];
  /** Files of the pack that detectors name, relative to the profile's folder, with the JSON pointers of the names. */
  readonly assets: readonly { readonly path: string; readonly pointer: string }[];
}

/**
 * Finds everything that is wrong with a parsed profile: first by its schema and those of its detector kinds, then what schemas
 * cannot say (names that do not exist, regions outside the frame, detectors that depend on themselves).
 *
 * @param source The file name that precedes `#` in the paths of issues.
 * @param catalog The kinds that the profile uses. Without it the options of kinds and preprocessing steps are not checked.
 */
export function checkProfile(value: unknown, source: string, catalog?: KindCatalog): CheckedProfile {
  const issues: Issue[] = [];
  const assets: { path: string; pointer: string }[] = [];
  const report: Report = (code, pointer, message, hint) => {
    issues.push({ code, path: `${source}#${pointer}`, message, ...(hint === undefined ? {} : { hint }) });
  };
  const onFormat = referenceChecker(value, assets, report);
  const check = (schema: Schema, part: unknown, pointer: string): readonly Issue[] =>
    checkSchema(schema, part, { source, pointer, onFormat });
  const shape = [...check(PROFILE_SCHEMA, value, '')].map((issue) => withPixelHint(issue, value));
  if (catalog !== undefined) shape.push(...kindIssues(value, catalog, check, report));
  checkRegions(value, report);
  checkDependencies(value, catalog, report);
  checkInputs(value, catalog, report);
  checkPlausible(value, report);
  checkEvents(value, report);
  checkInterpreter(value, report);
  return { issues: [...shape, ...unique(issues)], assets };
}

/** What a format refers to, where that differs from the name of the format. */
const REFERENCE_NOUNS: Readonly<Record<string, string>> = {
  source: 'detector or sequence',
  media: 'companion recording',
};

/** Makes the function that checks a string whose schema says by `format` what it names, and collects the assets. */
function referenceChecker(
  value: unknown,
  assets: { path: string; pointer: string }[],
  report: Report,
): (format: string, name: string, pointer: string) => void {
  const names: Readonly<Record<string, readonly string[]>> = {
    detector: keysOf(value, 'detectors'),
    region: keysOf(value, 'regions'),
    screen: keysOf(value, 'screens'),
    mode: keysOf(value, 'modes'),
    media: keysOf(value, 'media'),
    source: [...keysOf(value, 'detectors'), ...keysOf(value, 'sequences')],
  };
  const relative = new Set(membersOf(value, 'regions').flatMap(([name, region]) => (region['relative'] ? [name] : [])));
  return (format, name, pointer) => {
    if (format === 'asset') assets.push({ path: name, pointer });
    if (format === 'language' && canonicalLanguageTag(name) === undefined)
      report('unknown-language', pointer, `"${name}" is not a language tag`, 'Write a BCP 47 tag: de, pt-BR, zh-Hant.');
    if (format === 'region' && relative.has(name) && !/^\/detectors\/[^/]+\/region$/.test(pointer))
      report('region-follows', pointer, `"${name}" is a relative region: only a detector's own \`region\` can be one`);
    const known = names[format];
    if (known === undefined || known.includes(name)) return;
    const message = `there is no ${REFERENCE_NOUNS[format] ?? format} "${name}"`;
    report(`unknown-${format}`, pointer, message, suggestSpelling(name, known));
  };
}

/** Checks the options of detectors and preprocessing steps. */
function kindIssues(
  value: unknown,
  { names, kinds, preprocess }: KindCatalog,
  check: (schema: Schema, part: unknown, pointer: string) => readonly Issue[],
  report: Report,
): readonly Issue[] {
  const issues: Issue[] = [];
  for (const [name, spec] of membersOf(value, 'detectors')) {
    const pointer = appendPointer('/detectors', name);
    const kind = jsonText(spec['kind']);
    const info = kinds.get(kind);
    if (info !== undefined) issues.push(...check(detectorSchema(kind, info), spec, pointer));
    else if (typeof spec['kind'] === 'string' && !names.includes(kind)) {
      const plugin = `Available kinds: ${names.join(', ')}. If a plug-in provides it, load it with --plugin <file or package>.`;
      const message = `there is no detector kind "${kind}", neither built in nor in a loaded plug-in`;
      report('unknown-detector-kind', `${pointer}/kind`, message, suggestSpelling(kind, names) ?? plugin);
    }
  }
  if (preprocess === undefined) return issues;
  for (const [name, region] of membersOf(value, 'regions'))
    if (Array.isArray(region['preprocess']))
      issues.push(...check(preprocess, region['preprocess'], appendPointer('/regions', name, 'preprocess')));
  return issues;
}

/** Tolerates rounding errors of fractions that add up to the frame. */
const EPSILON = 1e-9;

function checkRegions(value: unknown, report: Report): void {
  for (const [name, region] of membersOf(value, 'regions')) {
    const pointer = appendPointer('/regions', name);
    if (region['canvas'] !== undefined && region['scale'] !== 'whole')
      report(
        'canvas-without-whole',
        `${pointer}/canvas`,
        `the canvas of region "${name}" has no effect with scale "${jsonText(region['scale'] ?? 'height')}"`,
        'Set "scale": "whole", or remove the canvas.',
      );
    if (region['relative'] !== undefined || isReadAsRing(value, name)) continue;
    for (const [side, size, where] of [
      ['x', 'width', 'on the right'],
      ['y', 'height', 'below'],
    ] as const) {
      const [start, length, frame] = [region[side], region[size], frameExtent(value, name, size)];
      if (typeof start !== 'number' || typeof length !== 'number' || frame === undefined) continue;
      if (start > frame || length > frame || start + length <= frame * (1 + EPSILON)) continue;
      report(
        'region-outside-frame',
        pointer,
        `region "${name}" extends outside the frame ${where}: ${start} + ${length} > ${frame}`,
        `Its ${size} can be at most ${Math.floor((frame - start) * 1e6 + EPSILON) / 1e6}.`,
      );
    }
  }
}

/** Whether only ring gauges read a region: the frame's edge may cut those off. */
function isReadAsRing(value: unknown, region: string): boolean {
  const users = membersOf(value, 'detectors').filter(([, spec]) => spec['region'] === region);
  return users.length > 0 && users.every(([, { direction }]) => /^(?:counter)?clockwise$/.test(jsonText(direction)));
}

/** Only readings of single frames are available in time for `when` and screens; sound and records have no region. */
function checkInputs(value: unknown, catalog: KindCatalog | undefined, report: Report): void {
  const detectors = new Map(membersOf(value, 'detectors'));
  const inputOf = (name: unknown): string =>
    catalog?.kinds.get(jsonText(detectors.get(jsonText(name))?.['kind']))?.input ?? 'frame';
  const hint = 'Relate them in the game script: game.reading(…) and game.recent(…).';
  for (const [name, spec] of detectors) {
    const pointer = appendPointer('/detectors', name);
    const { when } = spec;
    if (isObject(when) && inputOf(when['detector']) !== 'frame')
      report(
        'late-detector',
        `${pointer}/when`,
        `"${name}" cannot depend on "${jsonText(when['detector'])}", which is read after it`,
        hint,
      );
    if (!['audio', 'records'].includes(inputOf(name))) continue;
    for (const option of ['region', 'when', 'screens', 'interval'])
      if (spec[option] !== undefined)
        report(
          'late-detector',
          `${pointer}/${option}`,
          `"${option}" has no effect on "${name}", which reads no frames`,
        );
  }
  for (const [name, { detector }] of membersOf(value, 'screens'))
    if (inputOf(detector) !== 'frame')
      report(
        'late-detector',
        appendPointer('/screens', name),
        `"${jsonText(detector)}" cannot identify a screen: it does not read single frames`,
        hint,
      );
}

function checkPlausible(value: unknown, report: Report): void {
  for (const [name, { plausible }] of membersOf(value, 'detectors'))
    if (isObject(plausible)) checkBounds(plausible, appendPointer('/detectors', name, 'plausible'), report);
}

function checkEvents(value: unknown, report: Report): void {
  const events = isObject(value) && Array.isArray(value['events']) ? value['events'] : [];
  for (const [index, event] of events.entries()) {
    if (!isObject(event) || !isObject(event['statement'])) continue;
    const match = isObject(event['on']) ? event['on']['match'] : undefined;
    const groups = typeof match === 'string' ? countGroups(match) : 0;
    const pointer = `/events/${index}/statement`;
    checkTemplate(event['statement'], pointer, report);
    for (const digit of placeholderDigits(event['statement']))
      if (digit > groups) report('unknown-group', pointer, `$${digit} refers to a group that "match" does not have`);
    const text = JSON.stringify(event['statement']);
    const detectors = keysOf(value, 'detectors');
    for (const [, name = ''] of text.matchAll(/\$\(([^()]+)\)/g))
      if (!detectors.includes(name))
        report('unknown-detector', pointer, `there is no detector "${name}"`, suggestSpelling(name, detectors));
    if (/\$count\b/.test(text) && event['streak'] === undefined)
      report('unknown-group', pointer, '$count is the length of a "streak", which the event does not have');
    if (isObject(event['on'])) checkEventCondition(event['on'], groups, `/events/${index}/on`, report);
  }
  for (const [name, { steps, statement }] of membersOf(value, 'sequences')) {
    if (!isObject(statement) || !Array.isArray(steps)) continue;
    const pointer = appendPointer('/sequences', name, 'statement');
    checkTemplate(statement, pointer, report);
    for (const digit of placeholderDigits(statement))
      if (digit < 1 || digit > steps.length)
        report('unknown-group', pointer, `$${digit} refers to a step that "steps" does not have`);
  }
}

/** Checks what a schema cannot say of the condition of an event. */
function checkEventCondition(
  on: Readonly<Record<string, unknown>>,
  groups: number,
  pointer: string,
  report: Report,
): void {
  const { final, crosses, by, trigger } = on;
  if (final === true && groups < 2)
    report(
      'unknown-group',
      `${pointer}/final`,
      '"final" compares two groups of "match"',
      'Write "match": "(\\\\d+)/(\\\\d+)".',
    );
  if (by !== undefined && trigger !== 'changed')
    report(
      'no-effect',
      `${pointer}/by`,
      `a ${jsonText(trigger)} cue has no previous number`,
      'Write "trigger": "changed".',
    );
  if (!isObject(crosses)) return;
  const { below, above, until } = crosses;
  if ((below === undefined) === (above === undefined))
    report('empty-range', `${pointer}/crosses`, 'a threshold is either "below" or "above"');
  else if (
    typeof until === 'number' &&
    ((typeof above === 'number' && until > above) || (typeof below === 'number' && until < below))
  )
    report(
      'empty-range',
      `${pointer}/crosses/until`,
      `${until} lies beyond the threshold of ${jsonText(below ?? above)}`,
      'It is where the number must be back.',
    );
  if (trigger === 'lost') report('no-effect', `${pointer}/crosses`, 'a lost cue has no number');
}

function checkInterpreter(value: unknown, report: Report): void {
  const interpreter = isObject(value) ? value['interpreter'] : undefined;
  if (!isObject(interpreter)) return;
  const kinds = Array.isArray(interpreter['kinds']) ? (interpreter['kinds'] as unknown[]) : [];
  const { window = 64, margin = 16 } = interpreter;
  if (typeof window === 'number' && typeof margin === 'number' && window <= 2 * margin)
    report(
      'empty-range',
      '/interpreter/window',
      `a window of ${jsonText(window)} ticks is not longer than its two margins of ${jsonText(margin)}`,
    );
  for (const [kind, { on, statement = {} }] of membersOf(interpreter, 'events')) {
    const pointer = appendPointer('/interpreter/events', kind);
    if (!kinds.includes(kind)) report('unknown-kind', pointer, `"kinds" does not list the kind of event "${kind}"`);
    if (on === undefined && /"\$(?:value|previous)"/.test(JSON.stringify(statement)))
      report('unknown-group', `${pointer}/statement`, '$value and $previous require "on", the detector they come from');
    checkTemplate(statement, `${pointer}/statement`, report);
  }
}

/** Checks the form of a statement, with something suitable in place of `$value`, `$previous` and `$1`…. */
function checkTemplate(template: unknown, pointer: string, report: Report): void {
  const filled: unknown = JSON.parse(JSON.stringify(template), (key, value: unknown) => {
    if (typeof value !== 'string' || !/^\$(?:value|previous|change|count|\d|\([^()]+\))$/.test(value)) return value;
    return ['amount', 'count', 'to', 'from'].includes(key) ? 1 : 'something';
  });
  const shaped = parseStatement(filled);
  if (!('issues' in shaped)) return;
  for (const { path, message } of shaped.issues) report('statement-shape', `${pointer}${path}`, message);
}

function placeholderDigits(template: unknown): number[] {
  return [...JSON.stringify(template).matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit));
}

function countGroups(match: string): number {
  try {
    return new Pattern(match).groups;
  } catch {
    return 9;
  }
}

function unique(issues: readonly Issue[]): readonly Issue[] {
  return [...new Map(issues.map((issue) => [`${issue.path} ${issue.message}`, issue])).values()];
}
