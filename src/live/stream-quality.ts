import type { Dictionary } from '../dictionary/dictionary.ts';
import { loadBuiltin } from '../dictionary/files.ts';
import { PlaybyplayError } from '../errors.ts';
import type { Statement } from '../events/statement.ts';
import { AppendFile } from '../files/append-file.ts';
import type { OutputPolicy } from '../files/output.ts';
import { type Decision, describeChanges, QualityController } from '../quality/control/controller.ts';
import { StreamObserver } from '../quality/control/observer.ts';
import { defaultBounds, type SettingsBounds, type StreamSettings } from '../quality/control/settings.ts';
import type { FrameRecord, SessionInfo } from '../quality/frame.ts';
import { incidentEvents } from '../quality/gameplay.ts';
import { IncidentDetector } from '../quality/incidents.ts';
import { type FrameLogHeader, FrameLogParser } from '../quality/input/frame-log.ts';
import { Notes } from '../quality/input/session.ts';
import { QualityMeter } from '../quality/meter.ts';
import { followLines } from './follow-lines.ts';

/** Seconds between two figures, and between two decisions. */
const INTERVAL_SECONDS = 0.5;
/** Seconds for which a frame waits for the measurements of the other side. */
const JOIN_SECONDS = 0.25;

/** What the frame log of a stream says while the session goes on. Times are those of the session, in seconds. */
export type StreamMessage = StreamFigures | StreamIncidentMessage | StreamSettingsMessage;

/** Figures of the last half second. Scores 0–100. */
export interface StreamFigures {
  readonly type: 'quality';
  readonly t: number;
  readonly frames: number;
  /** Mean combined weighted score. */
  readonly score?: number | undefined;
  readonly picture?: number | undefined;
  /** Milliseconds. */
  readonly roundTrip?: number | undefined;
  /** Share of the sent frames that never arrived. */
  readonly lost: number;
}

/** The stream froze, stuttered, lagged, got bad or recovered. */
export interface StreamIncidentMessage {
  readonly type: 'incident';
  readonly t: number;
  readonly end: number;
  readonly text: string;
  readonly statement: Statement;
}

/** Settings that fit the network and the machine from now on. */
export interface StreamSettingsMessage {
  readonly type: 'settings';
  readonly t: number;
  readonly settings: StreamSettings;
  readonly changes: Decision['changes'];
  readonly text: string;
}

/** Bitrates between which a stream is adjusted, in bits per second. */
export type BitrateRange = SettingsBounds['bitrate'];

/** Options of `followStreamQuality`. */
export interface StreamQualityOptions extends OutputPolicy {
  /** The frame log (NDJSON) that the streaming program writes. */
  readonly frames: string;
  /** The file to which the messages are written, a line each. */
  readonly out: string;
  /** Decides settings with a bitrate in this range; default: no decisions. */
  readonly adjust?: BitrateRange | undefined;
  /** Time of the session now, in seconds. */
  readonly sessionTime: () => number;
  readonly onMessage: (message: StreamMessage) => void;
  readonly onProblem: (message: string) => void;
}

/** A running `followStreamQuality`. */
export interface FollowedStream extends AsyncDisposable {
  /** Takes the records that are written by now, and ends. */
  stop(): Promise<void>;
}

/**
 * Measures a stream while it runs, from the frame log that its program writes, and decides settings that fit the network. Problems
 * end this, not the session.
 */
export async function followStreamQuality(options: StreamQualityOptions): Promise<FollowedStream> {
  const { frames, out, onMessage, onProblem, inputs, overwrite } = options;
  const { dictionary } = await loadBuiltin(['stream'], { meaning: false });
  const file = await AppendFile.open(out, 0, { kind: 'JSON', inputs: [...(inputs ?? []), frames], overwrite });
  const ending = new AbortController();
  const running = (async () => {
    await using log = file;
    const notes = new Notes();
    const give = async (messages: readonly StreamMessage[]): Promise<void> => {
      if (messages.length === 0) return;
      await log.append(Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join('')));
      for (const message of messages) onMessage(message);
    };
    try {
      const quality = new LiveStreamQuality(options, dictionary, notes);
      for await (const lines of followLines(frames, ending.signal))
        for (const line of lines) await give(quality.add(line));
      await give(quality.finish());
    } catch (error) {
      if (!(error instanceof PlaybyplayError)) throw error;
      onProblem(`the quality of the stream is not followed any more: ${error.message}`);
    }
    for (const { message, path } of notes.issues) onProblem(`${path ?? frames}: ${message}`);
  })();
  const stop = async (): Promise<void> => {
    ending.abort();
    await running;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

/** Turns the lines of a frame log into messages. */
class LiveStreamQuality {
  readonly #options: StreamQualityOptions;
  readonly #dictionary: Dictionary;
  readonly #header: FrameLogHeader = {};
  readonly #parser: FrameLogParser;
  #measured: MeasuredStream | undefined;
  #lines = 0;

  constructor(options: StreamQualityOptions, dictionary: Dictionary, notes: Notes) {
    this.#options = options;
    this.#dictionary = dictionary;
    this.#parser = new FrameLogParser(options.frames, notes, this.#header);
  }

  add(line: string): readonly StreamMessage[] {
    const part = this.#parser.line(line, ++this.#lines);
    if (!part) return [];
    this.#measured ??= this.#open();
    return this.#measured.add(part);
  }

  finish(): readonly StreamMessage[] {
    return this.#measured?.finish() ?? [];
  }

  #open(): MeasuredStream {
    const { frames, adjust, sessionTime } = this.#options;
    const { fps, width, height, targetBitrate } = this.#header;
    if (fps === undefined)
      throw new PlaybyplayError('no-header', `${frames} does not begin with the frame rate of the stream`, {
        hint: 'Its first line is a header: {"fps":60,"width":1280,"height":720,"targetBitrate":8000000}',
      });
    const measured = {
      info: { fps, width, height, targetBitrate },
      dictionary: this.#dictionary,
      start: sessionTime(),
    };
    if (!adjust) return new MeasuredStream(measured);
    if (width === undefined || height === undefined || targetBitrate === undefined)
      throw new PlaybyplayError('no-header', `the header of ${frames} lacks width, height or targetBitrate`, {
        hint: 'Settings are decided from those that the stream has.',
      });
    const settings = { bitrate: targetBitrate, width, height, fps, preset: 'fast' } as const;
    const controller = new QualityController(settings, { bounds: boundsOf(settings, adjust) });
    return new MeasuredStream({ ...measured, controller });
  }
}

/** What a controller may choose: nothing that the stream does not have at its start. */
function boundsOf({ width, height, fps, preset }: StreamSettings, bitrate: BitrateRange): SettingsBounds {
  const sizes = [1, 3 / 4, 1 / 2].map((share) => ({ width: even(width * share), height: even(height * share) }));
  return { ...defaultBounds, bitrate, sizes, rates: [fps, fps / 2], presets: [preset] };
}

function even(pixels: number): number {
  return 2 * Math.round(pixels / 2);
}

interface MeasuredStreamOptions {
  readonly info: SessionInfo;
  readonly dictionary: Dictionary;
  /** Time of the session at the first frame, in seconds. */
  readonly start: number;
  readonly controller?: QualityController;
}

/** Joins the measurements of frames, scores them, and asks the controller. */
class MeasuredStream {
  readonly #options: MeasuredStreamOptions;
  readonly #pending = new Map<number, FrameRecord>();
  readonly #observer: StreamObserver;
  readonly #meter: QualityMeter;
  readonly #incidents: IncidentDetector;
  /** Frames. */
  readonly #patience: number;
  #newest = Number.NEGATIVE_INFINITY;
  #given = Number.NEGATIVE_INFINITY;
  #next = INTERVAL_SECONDS;

  constructor(options: MeasuredStreamOptions) {
    const { fps } = options.info;
    this.#options = options;
    this.#meter = new QualityMeter(options.info);
    this.#observer = new StreamObserver(this.#meter);
    this.#incidents = new IncidentDetector(fps);
    this.#patience = Math.ceil(JOIN_SECONDS * fps);
  }

  /** Takes the measurements of a frame by one side or both. */
  add(part: FrameRecord): readonly StreamMessage[] {
    const { frame } = part;
    if (frame <= this.#given) return [];
    const known = this.#pending.get(frame);
    const inputs = [...(known?.inputs ?? []), ...(part.inputs ?? [])];
    this.#pending.set(frame, { ...part, ...known, ...(inputs.length > 0 && { inputs }) });
    this.#newest = Math.max(this.#newest, frame);
    return this.#take((record) => isComplete(record) || record.frame <= this.#newest - this.#patience);
  }

  finish(): readonly StreamMessage[] {
    const messages = this.#take(() => true);
    return [...messages, ...this.#describe(this.#incidents.finish())];
  }

  /** Scores pending frames, in order, up to the first that has to wait. */
  #take(isReady: (record: FrameRecord) => boolean): readonly StreamMessage[] {
    const messages: StreamMessage[] = [];
    for (const frame of [...this.#pending.keys()].toSorted((a, b) => a - b)) {
      const record = this.#pending.get(frame)!;
      if (!isReady(record)) break;
      this.#pending.delete(frame);
      this.#given = frame;
      const raw = this.#observer.add(record);
      this.#incidents.add(this.#meter, raw);
      if (raw.t < this.#next) continue;
      // After a jump of the clock the intervals go on from where it is.
      this.#next = Math.max(this.#next + INTERVAL_SECONDS, raw.t);
      messages.push(...this.#describe(this.#incidents.take()), ...this.#decide());
    }
    return messages;
  }

  #decide(): readonly StreamMessage[] {
    const { start, controller } = this.#options;
    const seen = this.#observer.take();
    const t = start + seen.t;
    const { frames, quality: score, picture, roundTrip, lost } = seen;
    const figures: StreamFigures = { type: 'quality', t, frames, score, picture, roundTrip, lost };
    const decision = controller?.decide(seen);
    if (!decision || decision.changes.length === 0) return [figures];
    const { settings, changes } = decision;
    return [figures, { type: 'settings', t, settings, changes, text: describeChanges(changes) }];
  }

  #describe(incidents: Parameters<typeof incidentEvents>[0]): readonly StreamMessage[] {
    const { dictionary, start } = this.#options;
    return incidentEvents(incidents, dictionary, start).map(({ t, end, text, statement }) => ({
      type: 'incident',
      t,
      end,
      text,
      statement,
    }));
  }
}

/** Whether the client's measurements have arrived. */
function isComplete({ returned, presented }: FrameRecord): boolean {
  return returned !== undefined || presented !== undefined;
}
