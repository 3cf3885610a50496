import { type Issue } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import { shapeStatement } from '../events/shape.ts';
import { languageTag } from '../language/tags.ts';
import { Pattern } from '../pattern/pattern.ts';
import { checkSchema } from '../schema/check.ts';
import { checkLinks } from './check-links.ts';
import { type Complain, escape, isObject, keysOf, membersOf, tolerant } from './check-tools.ts';
import { profileSchema, type KindSchemas } from './schema.ts';
import { toldInPixels, wholeOf } from './units.ts';

/** What a profile refers to outside itself. */
export interface CheckedProfile {
  readonly issues: readonly Issue[];
  /** Files of the pack that detectors name, relative to the profile's folder, with where they are named. */
  readonly assets: readonly { readonly path: string; readonly pointer: string }[];
}

const EPSILON = 1e-9;
/** What a format names, where that is not its own name. */
const NOUNS: Readonly<Record<string, string>> = { source: 'detector or sequence', media: 'companion recording' };

/**
 * Everything that is wrong with a profile (already parsed), all at once: its form, then what it means — regions inside the
 * frame, names that exist, no detector waiting for itself. With `kinds` the options of detectors and steps are checked, too.
 */
export function checkProfile(value: unknown, source: string, kinds?: KindSchemas): CheckedProfile {
  const names = {
    detector: keysOf(value, 'detectors'),
    region: keysOf(value, 'regions'),
    screen: keysOf(value, 'screens'),
    mode: keysOf(value, 'modes'),
    media: keysOf(value, 'media'),
    source: [...keysOf(value, 'detectors'), ...keysOf(value, 'sequences')],
  };
  const following = new Set(membersOf(value, 'regions').flatMap(([name, { relative }]) => (relative ? [name] : [])));
  const issues: Issue[] = [];
  const assets: { path: string; pointer: string }[] = [];
  const complain: Complain = (code, pointer, message, hint) => {
    issues.push({ code, path: `${source}#${pointer}`, message, ...(hint === undefined ? {} : { hint }) });
  };
  const refer = (format: string, name: string, pointer: string): void => {
    if (format === 'asset') assets.push({ path: name, pointer });
    if (format === 'language' && languageTag(name) === undefined)
      complain('unknown-language', pointer, `“${name}” is no language`, 'Write a BCP 47 tag: de, pt-BR, zh-Hant.');
    const known = format in names ? names[format as keyof typeof names] : undefined;
    if (format === 'region' && following.has(name) && !/^\/detectors\/[^/]+\/region$/.test(pointer))
      complain('region-follows', pointer, `“${name}” follows a find: it cannot be looked at besides another region`);
    if (known === undefined || known.includes(name)) return;
    const hint = suggestSpelling(name, known);
    issues.push({
      code: `unknown-${format}`,
      path: `${source}#${pointer}`,
      message: `there is no ${NOUNS[format] ?? format} “${name}”`,
      ...(hint !== undefined && { hint }),
    });
  };
  const others = kinds?.preprocess === undefined ? [] : [kinds.preprocess];
  const form = checkSchema(profileSchema(kinds), value, { source, others, onFormat: refer });
  checkRegions(value, complain);
  checkLinks(value, kinds, complain);
  checkLate(value, kinds?.late ?? new Map(), complain);
  checkPlausible(value, complain);
  checkEvents(value, complain);
  checkInterpreter(value, complain);
  const named = form.map((issue) => toldInPixels(unknownKind(issue, value, kinds), value));
  return { issues: [...named, ...unique(issues)], assets };
}

/** A kind that nobody brings is the one mistake that a profile's user, not its author, can mend. */
function unknownKind(issue: Issue, value: unknown, kinds: KindSchemas | undefined): Issue {
  const name = /#\/detectors\/([^/]+)\/kind$/.exec(issue.path ?? '')?.[1];
  if (name === undefined || issue.code !== 'schema-value' || !kinds) return issue;
  const spec = membersOf(value, 'detectors').find(([detector]) => escape(detector) === name)?.[1];
  const kind = String(spec?.['kind']);
  return {
    code: 'unknown-detector-kind',
    path: issue.path!,
    message: `there is no detector kind “${kind}”, neither built in nor in the plug-ins named`,
    hint:
      suggestSpelling(kind, kinds.detectors.keys()) ??
      `The kinds are ${[...kinds.detectors.keys()].join(', ')}; if a plug-in brings it, name that: --plugin <file or package>.`,
  };
}

/** Rings of gauges may be cut off by the frame's edge. */
function areRings(value: unknown, region: string): boolean {
  const users = membersOf(value, 'detectors').filter(([, spec]) => spec['region'] === region);
  return users.length > 0 && users.every(([, { direction }]) => /^(?:counter)?clockwise$/.test(String(direction)));
}

function checkRegions(value: unknown, complain: Complain): void {
  for (const [name, region] of membersOf(value, 'regions')) {
    const { relative } = region;
    checkCanvas(name, region, complain);
    if (relative !== undefined || areRings(value, name)) continue;
    for (const [side, size, where] of [
      ['x', 'width', 'on the right'],
      ['y', 'height', 'below'],
    ] as const) {
      const [start, length, whole] = [region[side], region[size], wholeOf(value, name, size)];
      if (typeof start !== 'number' || typeof length !== 'number' || whole === undefined) continue;
      if (start > whole || length > whole || start + length <= whole * (1 + EPSILON)) continue;
      complain(
        'region-outside-frame',
        `/regions/${escape(name)}`,
        `region “${name}” sticks out ${where}: ${start} + ${length} > ${whole}`,
        `Its ${size} is at most ${Math.floor((whole - start) * 1e6 + EPSILON) / 1e6}.`,
      );
    }
  }
}

/** A canvas is what whole steps are counted in; by itself it changes nothing, and who wrote it means it to. */
function checkCanvas(name: string, { canvas, scale }: Record<string, unknown>, complain: Complain): void {
  if (canvas === undefined || scale === 'whole') return;
  complain(
    'canvas-without-whole',
    `/regions/${escape(name)}/canvas`,
    `region “${name}” has a canvas, which means nothing to its scale “${typeof scale === 'string' ? scale : 'height'}”`,
    'Write "scale": "whole" beside it, or leave the canvas out.',
  );
}

/** Readings that are made behind the workers come too late for others to wait for; sound has neither region nor screen. */
function checkLate(value: unknown, late: NonNullable<KindSchemas['late']>, complain: Complain): void {
  const detectors = new Map(membersOf(value, 'detectors'));
  const isLate = (name: unknown): boolean => late.has(String(detectors.get(String(name))?.['kind']));
  const hint = 'Let the game script relate them: game.reading(…) and game.recent(…).';
  for (const [name, spec] of detectors) {
    const pointer = `/detectors/${escape(name)}`;
    const { when } = spec;
    if (isObject(when) && isLate(when['detector']))
      complain('late-detector', `${pointer}/when`, `“${name}” cannot wait for “${String(when['detector'])}”`, hint);
    if (!['hear', 'follow'].includes(late.get(String(spec['kind'])) ?? '')) continue;
    for (const option of ['region', 'when', 'screens', 'interval']) {
      if (spec[option] !== undefined)
        complain('late-detector', `${pointer}/${option}`, `“${name}” hears: “${option}” means nothing for it`);
    }
  }
  for (const [name, { detector }] of membersOf(value, 'screens')) {
    if (isLate(detector))
      complain('late-detector', `/screens/${escape(name)}`, `“${String(detector)}” cannot tell a screen`, hint);
  }
}

function checkPlausible(value: unknown, complain: Complain): void {
  for (const [name, { plausible }] of membersOf(value, 'detectors')) {
    if (!isObject(plausible)) continue;
    const { min, max } = plausible;
    if (typeof min === 'number' && typeof max === 'number' && min > max) {
      complain('empty-range', `/detectors/${escape(name)}/plausible`, `nothing lies between min ${min} and max ${max}`);
    }
  }
}

function checkEvents(value: unknown, complain: Complain): void {
  const events = isObject(value) && Array.isArray(value['events']) ? value['events'] : [];
  for (const [index, event] of events.entries()) {
    if (!isObject(event) || !isObject(event['statement'])) continue;
    const on = isObject(event['on']) ? event['on'] : {};
    const groups = typeof on['match'] === 'string' ? groupsOf(on['match']) : 0;
    const statement = JSON.stringify(event['statement']);
    for (const [, digit] of statement.matchAll(/\$(\d)/g)) {
      if (Number(digit) <= groups) continue;
      complain(
        'unknown-group',
        `/events/${index}/statement`,
        `$${digit} stands for a group that “match” does not have`,
      );
    }
    const shaped = shapeStatement(JSON.parse(statement.replaceAll(/"\$(?:value|previous|\d)"/g, '1'), tolerant));
    if (!('issues' in shaped)) continue;
    for (const { path, message } of shaped.issues) {
      complain('statement-shape', `/events/${index}/statement${path === '' ? '' : `/${path}`}`, message);
    }
  }
}

/** Events are of kinds that the network knows, about cues that it is shown, and have the form of statements. */
function checkInterpreter(value: unknown, complain: Complain): void {
  const interpreter = isObject(value) ? value['interpreter'] : undefined;
  if (!isObject(interpreter)) return;
  const kinds = Array.isArray(interpreter['kinds']) ? (interpreter['kinds'] as unknown[]) : [];
  const { window = 64, margin = 16 } = interpreter;
  if (Number(window) <= 2 * Number(margin))
    complain(
      'empty-range',
      '/interpreter/window',
      `nothing of a window of ${String(window)} ticks lies between margins of ${String(margin)}`,
    );
  for (const [kind, event] of membersOf(interpreter, 'events')) {
    const at = `/interpreter/events/${escape(kind)}`;
    if (!kinds.includes(kind)) complain('unknown-kind', at, `the network has no kind of event “${kind}”`);
    const statement = JSON.stringify(event['statement'] ?? {});
    if (event['on'] === undefined && /"\$(?:value|previous)"/.test(statement))
      complain('unknown-group', `${at}/statement`, '$value and $previous need a detector, by “on”');
    const shaped = shapeStatement(JSON.parse(statement.replaceAll(/"\$(?:value|previous)"/g, '1'), tolerant));
    if (!('issues' in shaped)) continue;
    for (const { path, message } of shaped.issues)
      complain('statement-shape', `${at}/statement${path === '' ? '' : `/${path}`}`, message);
  }
}

function groupsOf(match: string): number {
  try {
    return new Pattern(match).groups;
  } catch {
    return 9;
  }
}

function unique(issues: readonly Issue[]): readonly Issue[] {
  return [...new Map(issues.map((issue) => [`${issue.path} ${issue.message}`, issue])).values()];
}
