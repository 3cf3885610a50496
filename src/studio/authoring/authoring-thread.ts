// The thread in which recordings are decoded, read and learnt from while an author works.
import { PlaybyplayError } from '../../errors.ts';
import { loadBuiltin } from '../../dictionary/files.ts';
import type { Discovery } from '../../discovery/hud-field.ts';
import { posix } from 'node:path';
import type { CueBreakpoint } from '../../pipeline/messages.ts';
import { AssetReader } from '../../profile/checked.ts';
import { localizeProfile } from '../../profile/languages.ts';
import { folderPack } from '../../profile/pack.ts';
import type { DetectorSpec, Profile, RegionSpec } from '../../profile/profile.ts';
import { withFractionalRegions } from '../../profile/units.ts';
import { cropRgb, type Crop } from '../../regions/crop.ts';
import { placeRegion } from '../../regions/place.ts';
import { type CallContext, serve } from '../../threads/serve.ts';
import type { Rect } from '../../geometry.ts';
import type { DrawnElement } from './draw-element.ts';
import type { DrawnFeed } from './draw-feed.ts';
import { cutIcon, type MaskPoint, pickColor } from './icon-mask.ts';
import { ElementReader, type ElementReading } from './read-element.ts';
import { RecordingPictures } from './recording.ts';
import type { RunResult } from './run-test.ts';
import type { SoundRange, LearnedSound } from './learn-marked-sound.ts';
import type { Coverage, LearnedText, TextCluster, TextSheet } from './text-sheet.ts';

/** A profile as the author has it, perhaps with changes that are not saved. */
export interface ProfileSource {
  /** The pack's folder, and the path of the profile in it. */
  readonly root: string;
  readonly path: string;
  readonly profile: Profile;
  /** Changes when a file of the pack does. */
  readonly version: string;
}

/** What the thread can do: by name, what it is asked and what it answers. */
export interface AuthoringCalls {
  /** Reads elements in the picture at a time. */
  readonly read: {
    readonly request: {
      readonly source: ProfileSource;
      readonly media: string;
      readonly t: number;
      readonly elements: readonly {
        readonly name: string;
        readonly detector: DetectorSpec;
        readonly region: RegionSpec;
      }[];
      /** With pictures of the crop after each step. */
      readonly hasPictures: boolean;
    };
    readonly result: readonly ReadElement[];
  };
  /** Describes a box that was drawn. */
  readonly study: {
    readonly request: { readonly media: readonly string[]; readonly box: Rect; readonly name: string };
    readonly result: DrawnElement | undefined;
  };
  /** Finds the feed to which a row belongs that was drawn. */
  readonly feed: {
    readonly request: { readonly media: string; readonly box: Rect; readonly t: number; readonly name: string };
    readonly result: DrawnFeed | undefined;
  };
  /** Finds the HUD of a game. */
  readonly discover: { readonly request: { readonly media: readonly string[] }; readonly result: Discovery };
  /** Collects the crops of a text element. */
  readonly collect: {
    readonly request: {
      readonly source: ProfileSource;
      readonly media: readonly string[];
      readonly detector: DetectorSpec;
      readonly region: RegionSpec;
    };
    readonly result: {
      readonly sheet: number;
      readonly clusters: readonly ShownCluster[];
      readonly coverage: Coverage;
    };
  };
  /** Learns the font of labelled clusters. */
  readonly learn: {
    readonly request: {
      readonly sheet: number;
      readonly name: string;
      readonly labels: readonly { readonly cluster: number; readonly text: string }[];
    };
    readonly result: {
      readonly font: LearnedText | undefined;
      readonly coverage: Coverage;
      /** By cluster: the moments of its pictures. */
      readonly moments: readonly { readonly cluster: number; readonly times: readonly number[] }[];
    };
  };
  /** Cuts out an icon on which somebody clicked. */
  readonly cut: {
    readonly request: {
      readonly media: string;
      readonly t: number;
      readonly box: Rect;
      readonly reference: { readonly width: number; readonly height: number };
      /** In fractions of the box. */
      readonly points: readonly MaskPoint[];
      readonly tolerance?: number;
    };
    readonly result:
      | { readonly png: string; readonly width: number; readonly height: number; readonly pixels: number }
      | undefined;
  };
  /** The colour at a point of a frame, in fractions of it. */
  readonly pick: {
    readonly request: { readonly media: string; readonly t: number; readonly x: number; readonly y: number };
    readonly result: string | undefined;
  };
  /** Learns a sound from the parts of a recording in which it is heard. */
  readonly hear: {
    readonly request: { readonly media: string; readonly label: string; readonly ranges: readonly SoundRange[] };
    readonly result: LearnedSound;
  };
  /** Runs a pack on a recording. */
  readonly run: {
    readonly request: {
      readonly game: string;
      readonly media: string;
      readonly from?: number;
      readonly to?: number;
      readonly readings: string;
      readonly breakpoints?: readonly CueBreakpoint[];
    };
    readonly result: RunResult;
  };
}

/** A reading with its pictures as PNG in base64. */
export interface ReadElement extends Omit<ElementReading, 'steps'> {
  readonly name: string;
  readonly steps: readonly {
    readonly step: string;
    readonly png: string;
    readonly width: number;
    readonly height: number;
  }[];
}

/** A cluster with its crop as PNG in base64. */
export interface ShownCluster extends Omit<TextCluster, 'crop'> {
  readonly png: string;
  readonly width: number;
  readonly height: number;
}

/** A request to the thread. */
export interface AuthoringRequest<Name extends keyof AuthoringCalls = keyof AuthoringCalls> {
  readonly call: Name;
  readonly request: AuthoringCalls[Name]['request'];
}

type Handlers = {
  readonly [Name in keyof AuthoringCalls]: (
    request: AuthoringCalls[Name]['request'],
    context: CallContext,
  ) => Promise<AuthoringCalls[Name]['result']>;
};

/** Recordings and sheets that are kept open. */
const MAX_RECORDINGS = 4;
const MAX_SHEETS = 8;
/** Seconds around a click, and pictures among them, from which an icon is cut. */
const CUT_SECONDS = 12;
const CUT_PICTURES = 9;

const recordings = new Map<string, Promise<RecordingPictures>>();
const sheets = new Map<number, TextSheet>();
const reader = new ElementReader();
let nextSheet = 1;

/** Opens a recording, or takes the one that is open. */
async function openRecording(path: string): Promise<RecordingPictures> {
  let recording = recordings.get(path);
  recordings.delete(path);
  recording ??= RecordingPictures.open(path);
  recording.catch(() => recordings.delete(path));
  if (recordings.size >= MAX_RECORDINGS) {
    const [oldest, old] = recordings.entries().next().value!;
    recordings.delete(oldest);
    void old.then((one) => one[Symbol.dispose]()).catch(() => undefined);
  }
  recordings.set(path, recording);
  return await recording;
}

async function toPng({ data, width, height, channels }: Crop): Promise<string> {
  const { default: sharp } = await import('sharp');
  const image = sharp(data, { raw: { width, height, channels } }).png({ compressionLevel: 3 });
  return (await image.toBuffer()).toString('base64');
}

function assetsOf({ root, path, profile }: ProfileSource): AssetReader {
  return new AssetReader(
    folderPack(root),
    posix.dirname(path),
    localizeProfile(withFractionalRegions(profile), undefined),
  );
}

const handlers: Handlers = {
  async read({ source, media, t, elements, hasPictures }, { signal }) {
    const recording = await openRecording(media);
    const picture = recording.pictureAt(t);
    if (!picture) return [];
    const assets = assetsOf(source);
    const readings: ReadElement[] = [];
    // One after the other: whoever no longer waits for them is not waited for by others.
    for (const { name, detector, region } of elements) {
      signal.throwIfAborted();
      const spec = { name, detector, region };
      const { steps, ...rest } = await reader.read(source.profile, assets, source.version, spec, picture);
      const pictures = hasPictures ? steps : [];
      readings.push({
        name,
        ...rest,
        steps: await Promise.all(
          pictures.map(async ({ step, crop }) => ({
            step,
            png: await toPng(crop),
            width: crop.width,
            height: crop.height,
          })),
        ),
      });
    }
    return readings;
  },
  async study({ media, box, name }, { signal, notify }) {
    const open = await Promise.all(media.map(openRecording));
    const { dictionary } = await loadBuiltin([]);
    const { identifyDrawnBox } = await import('./draw-element.ts');
    return await identifyDrawnBox(open, box, name, dictionary, { signal, onProgress: notify });
  },
  async feed({ media, box, t, name }, { signal, notify }) {
    const recording = await openRecording(media);
    const { dictionary } = await loadBuiltin([]);
    const { identifyDrawnFeed } = await import('./draw-feed.ts');
    return await identifyDrawnFeed(recording, box, t, name, dictionary, { signal, onProgress: notify });
  },
  async discover({ media }, { signal, notify }) {
    const { discoverHud } = await import('../../discovery/discover.ts');
    return await discoverHud(media, { signal, onProgress: notify });
  },
  async collect({ source, media, detector, region }, { signal, notify }) {
    const open = await Promise.all(media.map(openRecording));
    const { TextSheet } = await import('./text-sheet.ts');
    const sheet = await TextSheet.collect(open, source.profile, detector, region, { signal, onProgress: notify });
    const id = nextSheet++;
    if (sheets.size >= MAX_SHEETS) sheets.delete(sheets.keys().next().value!);
    sheets.set(id, sheet);
    const clusters = await Promise.all(
      sheet.clusters.map(
        async ({ crop, ...rest }): Promise<ShownCluster> => ({
          ...rest,
          png: await toPng(crop),
          width: crop.width,
          height: crop.height,
        }),
      ),
    );
    return { sheet: id, clusters, coverage: sheet.coverage(new Map()) };
  },
  async learn({ sheet: id, name, labels }) {
    const sheet = sheets.get(id);
    if (!sheet) throw new PlaybyplayError('sheet-closed', 'the sheet was closed', { hint: 'Collect the crops again.' });
    const texts = new Map(labels.map(({ cluster, text }) => [cluster, text]));
    const font = sheet.learn(name, texts);
    const moments = labels.map(({ cluster }) => ({ cluster, times: sheet.momentsOf(cluster) }));
    return { font, coverage: sheet.coverage(texts), moments };
  },
  async cut({ media, t, box, reference, points, tolerance }) {
    const recording = await openRecording(media);
    const first = recording.pictureAt(t);
    if (!first) return undefined;
    const fractions = { x: box.x / reference.width, y: box.y / reference.height };
    const size = { width: box.width / reference.width, height: box.height / reference.height };
    const { rect } = placeRegion({ ...fractions, ...size }, first, reference);
    const crops: Crop[] = [];
    for (let n = 0; n < CUT_PICTURES; n++) {
      const offset = (Math.ceil(n / 2) * (n % 2 === 0 ? 1 : -1) * CUT_SECONDS) / CUT_PICTURES;
      if (t + offset < 0 || t + offset > recording.duration) continue;
      const picture = recording.pictureAt(t + offset);
      if (picture?.width === first.width && picture.height === first.height)
        crops.push({ data: cropRgb(picture, rect), width: rect.width, height: rect.height, channels: 3 });
    }
    const clicks = points.map(({ x, y }) => ({
      x: Math.min(rect.width - 1, Math.floor(x * rect.width)),
      y: Math.min(rect.height - 1, Math.floor(y * rect.height)),
    }));
    const icon = cutIcon(crops, clicks, tolerance);
    if (!icon) return undefined;
    const { width, height, rgba, pixels } = icon;
    const { default: sharp } = await import('sharp');
    const png = await sharp(rgba, { raw: { width, height, channels: 4 } })
      .png()
      .toBuffer();
    return { png: png.toString('base64'), width, height, pixels };
  },
  async pick({ media, t, x, y }) {
    const picture = (await openRecording(media)).pictureAt(t);
    if (!picture) return undefined;
    const { width, height } = picture;
    const at = { x: Math.min(width - 1, Math.floor(x * width)), y: Math.min(height - 1, Math.floor(y * height)) };
    const rect = { x: Math.max(0, at.x - 2), y: Math.max(0, at.y - 2), width: 5, height: 5 };
    const box = { ...rect, width: Math.min(5, width - rect.x), height: Math.min(5, height - rect.y) };
    const crop: Crop = { data: cropRgb(picture, box), width: box.width, height: box.height, channels: 3 };
    return pickColor(crop, { x: at.x - box.x, y: at.y - box.y });
  },
  async hear({ media, label, ranges }, { signal, notify }) {
    const recording = await openRecording(media);
    const { learnMarkedSound } = await import('./learn-marked-sound.ts');
    return await learnMarkedSound(recording, label, ranges, { signal, onProgress: notify });
  },
  async run({ game, media, from, to, readings, breakpoints }, { signal, notify }) {
    const { runPack } = await import('./run-test.ts');
    return await runPack(game, media, { from, to, readings, breakpoints, signal, onProgress: notify });
  },
};

serve(async (message, context) => {
  const { call, request } = message as AuthoringRequest;
  return await (handlers[call] as (request: unknown, context: CallContext) => Promise<unknown>)(request, context);
});
