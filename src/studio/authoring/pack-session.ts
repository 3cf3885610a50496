import { posix, relative, resolve } from 'node:path';
import { readFingerprint, type SoundFile } from '../../detectors/sound/fingerprint.ts';
import type { AtlasFile } from '../../detectors/text/atlas.ts';
import type { DictionaryFile, WordKind } from '../../dictionary/format.ts';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { draftPack } from '../../discovery/draft.ts';
import type { Discovery, HudField } from '../../discovery/hud-field.ts';
import { type Issue, PlaybyplayError } from '../../errors.ts';
import { parseDuration, parseNumber, parseStopwatch } from '../../language/numbers.ts';
import type { Rect, Size } from '../../geometry.ts';
import { type Label, parseLabels } from '../../pipeline/authoring/learn.ts';
import { inspectGame } from '../../pipeline/game.ts';
import { readWords } from '../../pipeline/words.ts';
import { NO_PLUGINS } from '../../detectors/plugins/load.ts';
import { folderPack } from '../../profile/pack.ts';
import type { DetectorSpec, EventMapping, Profile } from '../../profile/profile.ts';
import { toFileName } from '../../files/file-name.ts';
import {
  acceptElements,
  addElement,
  type Draft,
  type ElementExample,
  EMPTY_REVIEW,
  type HudElement,
  listElements,
  mergeElements,
  moveElement,
  refuseElement,
  renameElement,
  restoreElement,
  type Review,
  setDetectorOptions,
  setRegionOptions,
  toPixels,
} from './elements.ts';
import { diffFile, type FileDiff, type PackStore } from './pack-store.ts';
import { addWord, type ExampleCue, type ListedRule, listRules, type Rule, toEvents } from './rules.ts';
import { formatTestCase, parseTestCase, type TestCase, testPath } from './test-case.ts';

/** Everything about a pack that the author's pages show. */
export interface PackContents {
  readonly game: string;
  readonly title: string;
  readonly reference: Size;
  readonly elements: readonly HudElement[];
  readonly rules: readonly ListedRule[];
  readonly recordings: Review['recordings'];
  readonly tests: readonly TestCase[];
  /** By element: what was labelled. */
  readonly labels: Readonly<Record<string, readonly { readonly t: number; readonly text: string }[]>>;
  readonly script: string;
  /** Words of the game's own dictionary. */
  readonly words: readonly { readonly kind: WordKind; readonly name: string; readonly definition: string }[];
  /** Mistakes for which `detect` refuses the pack, and what has another effect than expected. */
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
}

/** A change that an author makes. */
export type PackEdit =
  | { readonly op: 'accept'; readonly names: readonly string[] }
  | { readonly op: 'refuse' | 'restore'; readonly name: string }
  | { readonly op: 'rename'; readonly name: string; readonly to: string }
  | { readonly op: 'merge'; readonly names: readonly string[] }
  | { readonly op: 'move'; readonly name: string; readonly box: Rect }
  | {
      readonly op: 'set-region' | 'set-detector';
      readonly name: string;
      /** New values; null removes an option. */
      readonly options: Readonly<Record<string, unknown>>;
    }
  | {
      readonly op: 'add';
      readonly name: string;
      readonly box: Rect;
      readonly detector: DetectorSpec;
      readonly events?: readonly EventMapping[];
      readonly font?: AtlasFile;
      /** What it showed. */
      readonly examples?: readonly ElementExample[];
    }
  | {
      readonly op: 'font';
      readonly name: string;
      readonly atlas: AtlasFile;
      readonly isOffset: boolean;
      readonly labels: readonly NewLabel[];
    }
  | { readonly op: 'icon'; readonly name: string; readonly icon: string; readonly png: string }
  | {
      readonly op: 'sound';
      /** What it is called; the detector of the pack's sounds gives it as its value. */
      readonly name: string;
      readonly sound: SoundFile;
    }
  | { readonly op: 'add-rule'; readonly rule: Rule }
  | { readonly op: 'replace-rule'; readonly indices: readonly number[]; readonly rule: Rule }
  | { readonly op: 'remove-rule'; readonly indices: readonly number[] }
  | {
      readonly op: 'add-word';
      readonly kind: WordKind;
      readonly name: string;
      readonly parent: string;
      readonly definition: string;
    }
  | { readonly op: 'script'; readonly source: string }
  | {
      readonly op: 'recordings';
      readonly recordings: readonly { readonly media: string; readonly use: 'learn' | 'test' }[];
    }
  | { readonly op: 'test'; readonly test: TestCase }
  | { readonly op: 'remove-test'; readonly name: string };

/** A labelled cluster of crops. */
export interface NewLabel {
  /** Absolute path of the recording. */
  readonly media: string;
  readonly times: readonly number[];
  readonly text: string;
}

/** Name of the detector of a pack's sounds. */
const SOUNDS = 'sounds';
const REVIEW_PATH = 'authoring.json';
const LABELS_PATH = 'labels.ndjson';
const DISCOVERY_PATH = 'discovery.json';
/** Share of two boxes in common from which they are one element. */
const SAME_ELEMENT_SHARE = 0.3;
/** Confidence of the general reader below which what a font does not know is unreadable. */
const FALLBACK = { reader: 'general', reject: 0.6 } as const;

/**
 * A pack that an author is working on. Every edit is saved at once to the files that the command line reads, as one step that can be
 * undone.
 */
export class PackSession {
  readonly store: PackStore;
  readonly game: string;

  constructor(store: PackStore, game: string) {
    this.store = store;
    this.game = game;
  }

  /** Path of the profile within the pack. */
  get profilePath(): string {
    return `configs/${this.game}/profile.json`;
  }

  /** Writes the profile of a new game without elements. */
  async create(title: string, reference: Size): Promise<readonly FileDiff[]> {
    const profile: Profile = {
      format: 'playbyplay/profile/1',
      game: this.game,
      title,
      version: '1',
      unit: 'pixel',
      reference: { width: reference.width, height: reference.height },
      sampling: { interval: 0.25 },
      regions: {},
      detectors: {},
      events: [],
    };
    return await this.#save(`Create ${title}`, new Map([[this.profilePath, formatJson(profile)]]));
  }

  /** Reads the profile and what was decided about it. */
  async draft(): Promise<Draft> {
    const [profile, review] = await Promise.all([
      this.#json<Profile>(this.profilePath),
      this.#json<Review>(REVIEW_PATH),
    ]);
    if (!profile)
      throw new PlaybyplayError('profile-missing', `there is no profile at ${this.profilePath} in ${this.store.root}`);
    return {
      profile: { ...profile, regions: profile.regions ?? {}, detectors: profile.detectors ?? {} },
      review: { ...EMPTY_REVIEW, ...review },
    };
  }

  /** The words of the game. */
  async dictionary(): Promise<Dictionary> {
    const { profile } = await this.draft();
    return (await readWords(profile, folderPack(this.store.root))).dictionary;
  }

  /** Reads everything about the pack. */
  async contents(): Promise<PackContents> {
    const draft = await this.draft();
    const { profile, review } = draft;
    const dictionary = await this.dictionary();
    const fields = (await this.#json<Discovery>(DISCOVERY_PATH))?.fields ?? [];
    const elements = listElements(draft, fields);
    const own = await this.#json<DictionaryFile>(this.#dictionaryPath);
    const { error, warnings } = await inspectGame(
      resolve(this.store.root, this.profilePath),
      NO_PLUGINS,
      undefined,
      false,
    );
    return {
      game: this.game,
      title: profile.title,
      reference: profile.reference,
      elements,
      rules: listRules(profile.events ?? [], dictionary, (name) =>
        exampleOf(elements.find((one) => one.name === name)),
      ),
      recordings: review.recordings,
      tests: await this.tests(),
      labels: await this.#labelsByElement(),
      script: (await this.#text(this.#scriptPath)) ?? '',
      words: (['object', 'action', 'property'] as const).flatMap((kind) =>
        (own?.[WORD_LISTS[kind]] ?? []).map(({ name, definition }) => ({ kind, name, definition })),
      ),
      issues: error?.issues ?? [],
      warnings,
    };
  }

  /** Reads the test cases, by name. */
  async tests(): Promise<readonly TestCase[]> {
    const pack = folderPack(this.store.root);
    const names = (await pack.list('tests')).filter((name) => name.endsWith('.ndjson'));
    return await Promise.all(
      names.map(async (name) => {
        const path = posix.join('tests', name);
        return parseTestCase(Buffer.from(await pack.read(path)).toString('utf8'), path, this.store.root);
      }),
    );
  }

  /**
   * Makes a change and saves it.
   *
   * @returns What it changed in the files.
   * @throws PlaybyplayError `file-changed` if another program writes at the same time; what the change says.
   */
  async edit(edit: PackEdit): Promise<readonly FileDiff[]> {
    switch (edit.op) {
      case 'accept':
        return await this.#update(`Accept ${edit.names.join(', ')}`, (draft) => acceptElements(draft, edit.names));
      case 'refuse':
        return await this.#update(`Refuse ${edit.name}`, (draft) => refuseElement(draft, edit.name));
      case 'restore':
        return await this.#update(`Restore ${edit.name}`, (draft) => restoreElement(draft, edit.name));
      case 'rename':
        return await this.#rename(edit.name, edit.to);
      case 'merge':
        return await this.#update(`Merge ${edit.names.join(', ')}`, (draft) => mergeElements(draft, edit.names));
      case 'move':
        return await this.#update(`Move ${edit.name}`, (draft) => moveElement(draft, edit.name, edit.box));
      case 'set-region':
        return await this.#update(`Change ${edit.name}`, (draft) =>
          setRegionOptions(draft, edit.name, withoutNulls(edit.options)),
        );
      case 'set-detector':
        return await this.#update(`Change ${edit.name}`, (draft) =>
          setDetectorOptions(draft, edit.name, withoutNulls(edit.options)),
        );
      case 'add':
        return await this.#add(edit);
      case 'font':
        return await this.#saveFont(edit);
      case 'icon':
        return await this.#saveIcon(edit);
      case 'sound':
        return await this.#saveSound(edit);
      case 'add-rule':
        return await this.#updateEvents('Add a rule', (events) => [...events, ...toEvents(edit.rule)]);
      case 'replace-rule':
        return await this.#updateEvents('Change a rule', (events) => {
          const [first = events.length] = edit.indices;
          const kept = events.map((event, i) => (edit.indices.includes(i) ? undefined : event));
          const updated = toEvents(edit.rule).map((event) => keepOptions(event, events[first]));
          return kept.toSpliced(first, 0, ...updated).filter((event) => event !== undefined);
        });
      case 'remove-rule':
        return await this.#updateEvents('Remove a rule', (events) =>
          events.filter((_, i) => !edit.indices.includes(i)),
        );
      case 'add-word': {
        const { kind, name, parent, definition } = edit;
        const file = addWord(await this.#json<DictionaryFile>(this.#dictionaryPath), this.game, kind, {
          name,
          parent,
          definition,
        });
        return await this.#save(`Add the word ${name}`, new Map([[this.#dictionaryPath, formatJson(file)]]));
      }
      case 'script':
        return await this.#save(
          'Change the script',
          new Map([[this.#scriptPath, edit.source === '' ? null : edit.source]]),
        );
      case 'recordings':
        return await this.#update('Choose recordings', (draft) => ({
          ...draft,
          review: {
            ...draft.review,
            recordings: edit.recordings.map(({ media, use }) => ({ path: this.#relative(media), use })),
          },
        }));
      case 'test':
        return await this.#save(
          `Mark ${edit.test.name}`,
          new Map([[testPath(edit.test.name), formatTestCase(edit.test, this.store.root)]]),
        );
      case 'remove-test':
        return await this.#save(`Remove ${edit.name}`, new Map([[testPath(edit.name), null]]));
    }
  }

  /**
   * Takes over what a draft found: all of it in a new game, else what does not lie on an element that the author has decided about.
   *
   * @param title Title of a new game; default its identifier.
   */
  async takeDraft(discovery: Discovery, dictionary: Dictionary, title?: string): Promise<readonly FileDiff[]> {
    const made = draftPack(discovery, this.game, dictionary);
    const plain = made.profile as unknown as Profile;
    const drafted = title === undefined ? plain : { ...plain, title };
    const profileText = await this.#text(this.profilePath);
    const current = profileText === undefined ? undefined : await this.draft();
    if (current) checkSameSize(current.profile, drafted);
    const edits = new Map<string, string | Uint8Array | null>();
    let draft: Draft = {
      profile: { ...drafted, ...(current ? basicsOf(current.profile) : {}), regions: {}, detectors: {}, events: [] },
      review: current?.review ?? EMPTY_REVIEW,
    };
    const decided = current ? listElements(current).filter(({ status }) => status !== 'proposed') : [];
    if (current) draft = keepDecided(current, draft);
    const kept = draft.profile;
    const fieldOf = new Map(Array.from(made.keys, ([field, key]) => [key, field]));
    for (const [key, detector] of Object.entries(drafted.detectors)) {
      const region = drafted.regions[detector.region ?? ''];
      if (!region) continue;
      const box = toPixels(drafted, region);
      if (decided.some((one) => one.box && shareInCommon(one.box, box) > SAME_ELEMENT_SHARE)) continue;
      const field: HudField | undefined = fieldOf.get(key);
      // Elements that stay keep their fonts and pictures.
      const paths = freshPaths([...made.fonts.keys(), ...made.pictures.keys()], detector, kept);
      draft = addDrafted(draft, key, withPaths(detector, paths), drafted, field);
      for (const [path, fresh] of paths) {
        const font = made.fonts.get(path);
        edits.set(`configs/${this.game}/${fresh}`, font ? `${JSON.stringify(font)}\n` : made.pictures.get(path)!);
      }
    }
    edits.set(
      DISCOVERY_PATH,
      `${JSON.stringify({ ...discovery, recordings: discovery.recordings.map(({ path, duration }) => ({ path: this.#relative(path), duration })) })}\n`,
    );
    const recordings = new Map(draft.review.recordings.map((one) => [one.path, one]));
    for (const { path } of discovery.recordings)
      recordings.set(this.#relative(path), { path: this.#relative(path), use: 'learn' });
    draft = { ...draft, review: { ...draft.review, recordings: [...recordings.values()] } };
    edits.set(this.profilePath, formatJson(JSON.parse(JSON.stringify(draft.profile))));
    edits.set(REVIEW_PATH, formatJson(draft.review));
    return await this.#save('Draft from a recording', edits);
  }

  /** Absolute path of a recording of the pack. */
  locate(path: string): string {
    return resolve(this.store.root, path);
  }

  get #dictionaryPath(): string {
    return `dictionary/${this.game}.json`;
  }

  get #scriptPath(): string {
    return `scripts/${this.game}.js`;
  }

  #relative(media: string): string {
    return relative(this.store.root, resolve(this.store.root, media)).replaceAll('\\', '/');
  }

  async #add({
    name: wanted,
    box,
    detector,
    events = [],
    font,
    examples,
  }: Extract<PackEdit, { op: 'add' }>): Promise<readonly FileDiff[]> {
    const draft = await this.draft();
    const { region: _, ...spec } = detector;
    const path = fontPath(draft, wanted);
    const added = addElement(
      draft,
      wanted,
      box,
      font ? { ...spec, kind: detector.kind, atlas: path } : { ...spec, kind: detector.kind },
    );
    const rules = events.map((event): EventMapping => ({ ...event, on: { ...event.on, detector: added.name } }));
    const review = {
      ...added.draft.review,
      ...(examples ? { examples: { ...added.draft.review.examples, [added.name]: examples } } : {}),
    };
    const profile = { ...added.draft.profile, events: [...(added.draft.profile.events ?? []), ...rules] };
    const edits = this.#editsOf({ review, profile });
    if (font) edits.set(`configs/${this.game}/${path}`, `${JSON.stringify(font)}\n`);
    return await this.#save(`Add ${added.name}`, edits);
  }

  /** Renames an element, in the labels, too. */
  async #rename(from: string, to: string): Promise<readonly FileDiff[]> {
    const draft = renameElement(await this.draft(), from, to);
    const name = Object.keys(draft.profile.detectors).find((one) => one === to) ?? to;
    const edits = this.#editsOf(draft);
    const labels = await this.#text(LABELS_PATH);
    if (labels !== undefined)
      edits.set(
        LABELS_PATH,
        labels
          .split('\n')
          .map((line) => {
            if (line.trim() === '') return line;
            const label = JSON.parse(line) as Label;
            return label.detector === from ? JSON.stringify({ ...label, detector: name }) : line;
          })
          .join('\n'),
      );
    return await this.#save(`Rename ${from} to ${name}`, edits);
  }

  /** Saves a font that labels taught, and the labels. */
  async #saveFont({ name, atlas, isOffset, labels }: Extract<PackEdit, { op: 'font' }>): Promise<readonly FileDiff[]> {
    const draft = await this.draft();
    const detector = draft.profile.detectors[name];
    const path = fontPath(draft, name);
    const usesGeneral = detector?.['reader'] === 'general';
    const edits = this.#editsOf(
      setDetectorOptions(draft, name, {
        atlas: path,
        reader: undefined,
        ...(usesGeneral ? { fallback: FALLBACK } : {}),
        ...(isOffset || usesGeneral ? { align: 'centre' } : {}),
      }),
    );
    edits.set(`configs/${this.game}/${path}`, `${JSON.stringify(atlas)}\n`);
    const known = (await this.#text(LABELS_PATH)) ?? '';
    const others = known
      .split('\n')
      .filter((line) => line.trim() !== '' && (JSON.parse(line) as Label).detector !== name);
    const own = labels.map(({ media, times, text }) =>
      JSON.stringify({ media: this.#relative(media), t: times[0], times, detector: name, text }),
    );
    edits.set(LABELS_PATH, [...others, ...own].map((line) => `${line}\n`).join(''));
    return await this.#save(`Learn the font of ${name}`, edits);
  }

  /** Saves a picture of an icon; an element of another kind becomes one that finds icons. */
  async #saveIcon({ name, icon, png }: Extract<PackEdit, { op: 'icon' }>): Promise<readonly FileDiff[]> {
    const draft = await this.draft();
    const detector = draft.profile.detectors[name];
    const known =
      detector?.kind === 'icon' ? (detector['icons'] as Readonly<Record<string, string | readonly string[]>>) : {};
    const before = known[icon];
    const count = before === undefined ? 0 : typeof before === 'string' ? 1 : before.length;
    const path = `icons/${fontName(name)}/${fontName(icon)}${count === 0 ? '' : `-${count + 1}`}.png`;
    const files = before === undefined ? path : [...(typeof before === 'string' ? [before] : before), path];
    const options = detector?.kind === 'icon' ? { icons: { ...known, [icon]: files } } : undefined;
    const updated = options
      ? setDetectorOptions(draft, name, options)
      : replaceDetector(draft, name, { kind: 'icon', icons: { [icon]: files } });
    const edits = new Map<string, string | Uint8Array | null>(this.#editsOf(updated));
    edits.set(`configs/${this.game}/${path}`, Buffer.from(png, 'base64'));
    return await this.#save(`Cut the icon ${icon}`, edits);
  }

  /** Saves a learnt sound. One detector listens for all sounds of the pack: it knows each better by the others. */
  async #saveSound({ name, sound }: Extract<PackEdit, { op: 'sound' }>): Promise<readonly FileDiff[]> {
    const text = `${JSON.stringify(sound)}\n`;
    readFingerprint(text, name);
    const draft = await this.draft();
    const known = Object.entries(draft.profile.detectors).find(
      ([, { kind, ...options }]) => kind === 'sound' && options['of'] === 'clip',
    );
    const clips = (known?.[1]['clips'] ?? {}) as Readonly<Record<string, string | readonly string[]>>;
    const before = clips[name];
    const files = before === undefined ? [] : [before].flat();
    const path = `sounds/${fontName(name)}${files.length === 0 ? '' : `-${files.length + 1}`}.json`;
    const all = { ...clips, [name]: files.length === 0 ? path : [...files, path] };
    const updated = known
      ? setDetectorOptions(draft, known[0], { clips: all })
      : addElement(draft, SOUNDS, undefined, { kind: 'sound', of: 'clip', clips: all }).draft;
    const edits = this.#editsOf(updated);
    edits.set(`configs/${this.game}/${path}`, text);
    return await this.#save(`Learn the sound ${name}`, edits);
  }

  async #updateEvents(
    label: string,
    update: (events: readonly EventMapping[]) => readonly EventMapping[],
  ): Promise<readonly FileDiff[]> {
    return await this.#update(label, ({ profile, review }) => ({
      review,
      profile: { ...profile, events: [...update(profile.events ?? [])] },
    }));
  }

  async #update(label: string, update: (draft: Draft) => Draft): Promise<readonly FileDiff[]> {
    return await this.#save(label, this.#editsOf(update(await this.draft())));
  }

  #editsOf({ profile, review }: Draft): Map<string, string | null> {
    return new Map([
      [this.profilePath, formatJson(profile)],
      [REVIEW_PATH, formatJson(review)],
    ]);
  }

  /** Saves files that differ from what they were. */
  async #save(label: string, edits: ReadonlyMap<string, string | Uint8Array | null>): Promise<readonly FileDiff[]> {
    const base = new Map<string, Uint8Array | undefined>();
    const changed = new Map<string, string | Uint8Array | null>();
    for (const [path, content] of edits) {
      const before = await this.store.read(path);
      const isSame =
        content === null
          ? before === undefined
          : before !== undefined && Buffer.from(content as Uint8Array).equals(before);
      if (isSame) continue;
      base.set(path, before);
      changed.set(path, content);
    }
    if (changed.size === 0) return [];
    await this.store.change(label, changed, base);
    return Array.from(changed, ([path, content]) => diffFile(path, base.get(path), content));
  }

  async #text(path: string): Promise<string | undefined> {
    const content = await this.store.read(path);
    return content === undefined ? undefined : Buffer.from(content).toString('utf8');
  }

  async #json<T>(path: string): Promise<T | undefined> {
    const text = await this.#text(path);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new PlaybyplayError('profile-broken', `${path} is not JSON`, {
        hint: 'Correct it in an editor, or undo the last steps.',
      });
    }
  }

  async #labelsByElement(): Promise<PackContents['labels']> {
    const text = await this.#text(LABELS_PATH);
    if (text === undefined) return {};
    const labels = Map.groupBy(parseLabels(text, LABELS_PATH), ({ detector }) => detector);
    return Object.fromEntries(
      Array.from(labels, ([name, own]) => [name, own.map(({ t, text: said }) => ({ t, text: said }))]),
    );
  }
}

const WORD_LISTS = { object: 'objects', action: 'actions', property: 'properties' } as const;

/** A change of an element's value that a recording has shown, as its rules get it. */
export function exampleOf(element: HudElement | undefined): ExampleCue | undefined {
  const values = (element?.examples ?? []).flatMap(({ text }) => toValue(text, element!.detector) ?? []);
  const [previous, value = previous] = values;
  return previous === undefined ? undefined : { value, previous };
}

function toValue(text: string, { kind, value }: DetectorSpec): string | number | undefined {
  if (kind === 'bar') return Number.parseFloat(text);
  if (value === 'time') return parseDuration(text);
  if (value === 'stopwatch') return parseStopwatch(text);
  return value === 'number' ? parseNumber(text.replaceAll(/[^\d.,+-]/g, ''), ['en']) : text;
}

/** What the author may have changed besides elements. */
function basicsOf(profile: Profile): Partial<Profile> {
  const { regions: _regions, detectors: _detectors, events: _events, unit: _unit, ...basics } = profile;
  return basics;
}

/** Boxes of recordings of other sizes cannot be compared. */
function checkSameSize({ reference }: Profile, drafted: Profile): void {
  const [own, other] = [reference, drafted.reference].map(({ width, height }) => `${width}×${height}`);
  if (own !== other)
    throw new PlaybyplayError(
      'other-frame-size',
      `the recording is ${other}, but the elements lie on a frame of ${own}`,
      {
        hint: 'Find the HUD in a recording of that size. Elements are placed on recordings of other sizes by their anchors.',
      },
    );
}

/** Takes over the elements about which the author has decided, in the unit of the new draft. */
function keepDecided(current: Draft, draft: Draft): Draft {
  const kept = listElements(current).filter(({ status }) => status === 'accepted');
  let { profile } = draft;
  for (const { name, detector, region, box } of kept) {
    const key = detector.region;
    profile = {
      ...profile,
      detectors: { ...profile.detectors, [name]: detector },
      regions:
        key !== undefined && region && box ? { ...profile.regions, [key]: { ...region, ...box } } : profile.regions,
    };
  }
  const names = new Set(kept.map(({ name }) => name));
  const events = (current.profile.events ?? []).filter(({ on }) => names.has(on.detector));
  return { ...draft, profile: { ...profile, events } };
}

function addDrafted(
  draft: Draft,
  key: string,
  detector: DetectorSpec,
  drafted: Profile,
  field: HudField | undefined,
): Draft {
  const { profile, review } = draft;
  const region = drafted.regions[detector.region!]!;
  const events = (drafted.events ?? []).filter(({ on }) => on.detector === key);
  return {
    profile: {
      ...profile,
      regions: { ...profile.regions, [detector.region!]: region },
      detectors: { ...profile.detectors, [key]: detector },
      events: [...(profile.events ?? []), ...events],
    },
    review: field ? { ...review, drafted: { ...review.drafted, [key]: field.id } } : review,
  };
}

function replaceDetector(
  draft: Draft,
  name: string,
  spec: Omit<DetectorSpec, 'region'> & { readonly kind: string },
): Draft {
  const { profile } = draft;
  const region = profile.detectors[name]?.region;
  const detector = { ...spec, ...(region === undefined ? {} : { region }) } as DetectorSpec;
  return { ...draft, profile: { ...profile, detectors: { ...profile.detectors, [name]: detector } } };
}

function shareInCommon(a: Rect, b: Rect): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (a.width * a.height + b.width * b.height - width * height);
}

function fontName(name: string): string {
  const clean = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return toFileName(clean === '' ? 'element' : clean);
}

/** The file of an element's font: its own, not that of an element with which it shares one. */
function fontPath({ profile }: Draft, name: string): string {
  const others = Object.entries(profile.detectors).filter(([other]) => other !== name);
  const taken = new Set(others.map(([, detector]) => detector['atlas']));
  const own = profile.detectors[name]?.['atlas'];
  if (typeof own === 'string' && !taken.has(own)) return own;
  const stem = `fonts/${fontName(name)}`;
  let path = `${stem}.json`;
  for (let n = 2; taken.has(path); n++) path = `${stem}-${n}.json`;
  return path;
}

/** Options of a changed rule that only the text of the profile shows. */
function keepOptions(event: EventMapping, before: EventMapping | undefined): EventMapping {
  if (!before) return event;
  const { on, statement: _, ...options } = before;
  const { by, final, crosses } = on;
  const conditions = {
    ...(typeof by === 'object' ? { by } : {}),
    ...(final === undefined ? {} : { final }),
    ...(crosses?.until === undefined ? {} : { crosses }),
  };
  return { ...event, on: { ...event.on, ...conditions }, ...options };
}

function withoutNulls(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [key, value === null ? undefined : value]));
}

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The files that a detector of a draft names, each with a path that no detector of the profile names. */
function freshPaths(
  files: readonly string[],
  detector: Profile['detectors'][string],
  profile: Profile,
): ReadonlyMap<string, string> {
  const [named, taken] = [JSON.stringify(detector), JSON.stringify(profile.detectors)];
  return new Map(
    files
      .filter((path) => named.includes(JSON.stringify(path)))
      .map((path) => {
        let fresh = path;
        for (let n = 2; taken.includes(JSON.stringify(fresh)); n++) fresh = path.replace(/(?=\.\w+$)/, `-${n}`);
        return [path, fresh];
      }),
  );
}

function withPaths<Detector>(detector: Detector, paths: ReadonlyMap<string, string>): Detector {
  return JSON.parse(JSON.stringify(detector), (_key, value: unknown) =>
    typeof value === 'string' ? (paths.get(value) ?? value) : value,
  ) as Detector;
}
