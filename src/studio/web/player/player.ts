import { batch, computed, signal } from '@preact/signals';
import { readMedia, showRecording } from '../../api/recording.ts';
import type { RouteResponse } from '../../api/route.ts';
import { addressOf, call } from '../api-client.ts';
import { FrameSource, type Shown } from './frame-source.ts';
import { SoundPlayer } from './sound-player.ts';

/** What the server knows of a recording. */
export type RecordingInfo = RouteResponse<typeof showRecording>;

/** A range of time in seconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Milliseconds that a person rests on a place before its exact frame is read. */
const REST_MS = 110;
const PREVIEW_WIDTH = 960;
/** Width of frames while the server decodes what the browser cannot. */
const PLAY_WIDTH = 960;
const POLL_MS = 400;
const MIN_VISIBLE_SECONDS = 0.25;
const READ_AHEAD = 3;
/** Seconds of a recording that are shown at first. */
const FIRST_VISIBLE_SECONDS = 120;

/** The player of one recording: where it is, what it shows, and what the time line covers. */
export class Player {
  readonly info = signal<RecordingInfo | undefined>(undefined);
  readonly error = signal<unknown>(undefined);
  readonly shown = signal<Shown | undefined>(undefined);
  /** Where the person wants to be, in seconds; the picture follows. */
  readonly t = signal(0);
  readonly isPlaying = signal(false);
  readonly rate = signal(1);
  readonly volume = signal(1);
  /** Why a frame cannot be shown. */
  readonly problem = signal<string | undefined>(undefined);
  /** What the time line covers. */
  readonly visibleRange = signal<TimeRange>({ from: 0, to: FIRST_VISIBLE_SECONDS });
  readonly duration = computed(() => this.info.value?.duration ?? 0);
  /** Seconds between samples of the log; steps go by them. */
  interval = 0.1;
  readonly path: string;
  /** What takes what a person does on the time line, where this player follows another one. */
  leader: Pick<Player, 'seek' | 'setVisibleRange'> | undefined;
  /** Milliseconds from a wish to the picture, of the last ones; for measurements. */
  readonly latencies: number[] = [];
  #source: FrameSource | undefined;
  #previewWanted: { readonly t: number; readonly asked: number } | undefined;
  #isPreviewing = false;
  #exact = new AbortController();
  #rest: ReturnType<typeof setTimeout> | undefined;
  #stepping = false;
  #stepWanted: number | undefined;
  /** Whether the exact frame of the last seek is still to be shown. */
  #isSeeking = false;
  /** Steps from that frame, which are gone once its number is known. */
  #stepsFromSeek = 0;
  #video: HTMLVideoElement | undefined;
  #canPlay = true;
  #sound: SoundPlayer | undefined;
  #isClosed = false;

  constructor(path: string) {
    this.path = path;
    void this.#open();
  }

  async #open(): Promise<void> {
    try {
      for (let isFirst = true; !this.#isClosed; isFirst = false) {
        const info = await call(showRecording, { query: { path: this.path } });
        batch(() => {
          this.info.value = info;
          if (isFirst) {
            this.#source = new FrameSource(this.path, info.version);
            this.visibleRange.value = {
              from: 0,
              to: Math.min(info.duration ?? FIRST_VISIBLE_SECONDS, FIRST_VISIBLE_SECONDS),
            };
          }
        });
        if (isFirst) this.#moveTo(this.t.value, false);
        if (info.index) return;
        await new Promise((resolve) => void setTimeout(resolve, POLL_MS));
      }
    } catch (error) {
      this.error.value = error;
    }
  }

  /** Asks the server again what it knows of the recording: its log may be new. */
  async refresh(): Promise<void> {
    this.info.value = await call(showRecording, { query: { path: this.path } });
  }

  /** Ends everything that is being fetched or played. */
  close(): void {
    this.#isClosed = true;
    this.#exact.abort();
    clearTimeout(this.#rest);
    this.#stopPlaying();
    this.#source?.close();
    this.#video?.removeAttribute('src');
    this.#video?.load();
  }

  /** Goes to a time. While a person drags, keyframes are shown; where the person rests, the exact frame. */
  seek(t: number, isDragging = false): void {
    if (this.isPlaying.value) this.pause();
    this.#stepsFromSeek = 0;
    this.#moveTo(t, isDragging);
  }

  #moveTo(t: number, isDragging: boolean): void {
    const end = this.info.value?.index?.lastTime ?? this.duration.value;
    this.t.value = Math.max(0, Math.min(end > 0 ? end : t, t));
    this.#showSoon(isDragging);
  }

  /** Goes to a time of the time line: `seek`, of both where this player follows another one. */
  scrub(t: number, isDragging = false): void {
    (this.leader ?? this).seek(t, isDragging);
  }

  /** Goes to a frame by its number. */
  goToFrame(frame: number): void {
    if (this.isPlaying.value) this.pause();
    const last = (this.info.value?.index?.frames ?? Number.MAX_SAFE_INTEGER) - 1;
    this.#cancelMoves();
    this.#stepWanted = Math.max(0, Math.min(last, frame));
    void this.#runSteps();
  }

  /** Goes some frames forwards or back: from the frame on its way to the screen, where there is one, else from the one shown. */
  step(frames: number): void {
    if (this.isPlaying.value) this.pause();
    const current = this.#stepWanted ?? (this.#isSeeking ? -1 : (this.shown.value?.frame ?? -1));
    if (current >= 0) return this.goToFrame(current + frames);
    this.#stepsFromSeek += frames;
    if (!this.#isSeeking) this.#showSoon(false);
  }

  /** Goes to the next sample of the log, or to the one before. */
  stepSample(samples: number): void {
    const at = this.t.value / this.interval;
    const next = samples > 0 ? Math.floor(at + 1e-3) + samples : Math.ceil(at - 1e-3) + samples;
    this.seek(next * this.interval);
  }

  /** Gives up the seek and the steps whose frame is not shown yet. */
  #cancelMoves(): void {
    clearTimeout(this.#rest);
    this.#exact.abort();
    this.#previewWanted = undefined;
    this.#stepWanted = undefined;
    this.#isSeeking = false;
    this.#stepsFromSeek = 0;
  }

  #showSoon(isDragging: boolean): void {
    const asked = performance.now();
    const { value: t } = this.t;
    clearTimeout(this.#rest);
    this.#exact.abort();
    this.#stepWanted = undefined;
    this.#isSeeking = true;
    this.#previewWanted = { t, asked };
    if (isDragging || !this.info.value?.index) void this.#runPreviews();
    this.#rest = setTimeout(() => void this.#showExact(t, asked), isDragging ? REST_MS : 0);
  }

  /** Shows keyframes of the newest wish until there is no newer one. */
  async #runPreviews(): Promise<void> {
    if (this.#isPreviewing || !this.#source) return;
    this.#isPreviewing = true;
    try {
      while (this.#previewWanted !== undefined && !this.#isClosed) {
        const { t, asked } = this.#previewWanted;
        this.#previewWanted = undefined;
        const before = this.shown.value;
        const shown = await this.#source.preview(t, PREVIEW_WIDTH, new AbortController().signal);
        // The exact frame may have come first.
        if (this.shown.value !== before && this.shown.value?.isExact === true) continue;
        this.#show(shown, asked);
      }
    } catch {
      // The exact frame reports what is wrong.
    } finally {
      this.#isPreviewing = false;
    }
  }

  async #showExact(t: number, asked: number): Promise<void> {
    if (!this.#source) return;
    this.#exact = new AbortController();
    const { signal: aborted } = this.#exact;
    try {
      const shown = await this.#source.exact({ t }, aborted);
      if (aborted.aborted) return;
      this.#previewWanted = undefined;
      this.#isSeeking = false;
      this.#show(shown, asked);
      if (this.#stepsFromSeek !== 0 && shown.frame >= 0) this.goToFrame(shown.frame + this.#stepsFromSeek);
    } catch (error) {
      if (aborted.aborted) return;
      this.#isSeeking = false;
      this.problem.value = error instanceof Error ? error.message : String(error);
    }
  }

  /** Shows the newest frame that was stepped to until there is no newer one. */
  async #runSteps(): Promise<void> {
    if (this.#stepping || !this.#source) return;
    this.#stepping = true;
    try {
      while (this.#stepWanted !== undefined && !this.#isClosed) {
        const asked = performance.now();
        const frame = this.#stepWanted;
        const before = this.shown.value?.frame ?? frame;
        const shown = await this.#source.exact({ frame }, new AbortController().signal);
        // A seek, or the beginning of playback, came in between.
        if (this.#stepWanted === undefined) continue;
        if (this.#stepWanted === frame) this.#stepWanted = undefined;
        this.#show(shown, asked);
        this.t.value = shown.t;
        const direction = frame < before ? -1 : 1;
        const last = (this.info.value?.index?.frames ?? Number.MAX_SAFE_INTEGER) - 1;
        const ahead = Array.from({ length: READ_AHEAD }, (_, i) => frame + direction * (i + 1));
        this.#source.readAhead(ahead.filter((each) => each >= 0 && each <= last));
      }
    } catch (error) {
      this.#stepWanted = undefined;
      this.problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      this.#stepping = false;
    }
  }

  #show(shown: Shown, asked: number): void {
    const before = this.shown.value;
    batch(() => {
      this.problem.value = undefined;
      this.shown.value = shown;
    });
    // Keyframes belong to their source.
    if (before?.isExact === true && before.image instanceof ImageBitmap) {
      const { image } = before;
      requestAnimationFrame(() => image.close());
    }
    this.latencies.push(performance.now() - asked);
    if (this.latencies.length > 1000) this.latencies.shift();
  }

  /** Plays, or stops playing. */
  togglePlay(): void {
    if (this.isPlaying.value) this.pause();
    else void this.play();
  }

  /** Plays from where it is: by the browser, or where it does not know the format, by frames and sound of the server. */
  async play(): Promise<void> {
    const info = this.info.value;
    if (!info || this.isPlaying.value) return;
    const end = info.index?.lastTime ?? this.duration.value;
    if (this.t.value >= end - 1e-3) this.t.value = 0;
    this.#cancelMoves();
    this.isPlaying.value = true;
    if (info.isPlayable && this.#canPlay && (await this.#playVideo(info))) return;
    this.#canPlay = false;
    if (this.isPlaying.value) void this.#playFrames(info);
  }

  /** Stops playing and shows the exact frame. */
  pause(): void {
    if (!this.isPlaying.value) return;
    this.#stopPlaying();
    this.#showSoon(false);
  }

  /** Changes the speed. */
  setRate(rate: number): void {
    this.rate.value = rate;
    if (!this.isPlaying.value) return;
    this.#stopPlaying();
    void this.play();
  }

  /** Changes the volume, 0 to 1. */
  setVolume(volume: number): void {
    this.volume.value = volume;
    if (this.#video) this.#video.volume = volume;
    if (this.#sound) this.#sound.volume = volume;
  }

  #stopPlaying(): void {
    this.isPlaying.value = false;
    this.#video?.pause();
    this.#sound?.stop();
    this.#sound = undefined;
  }

  /** Plays the file in a video element, whose frames are shown. Returns whether the browser can. */
  async #playVideo(info: RecordingInfo): Promise<boolean> {
    const video = this.#video ?? document.createElement('video');
    const origin = info.index?.origin ?? 0;
    if (!this.#video) {
      video.src = addressOf(readMedia, { path: this.path, version: info.version });
      video.preload = 'auto';
      video.addEventListener('ended', () => this.pause());
      this.#video = video;
    }
    try {
      video.volume = this.volume.value;
      video.playbackRate = this.rate.value;
      video.currentTime = this.t.value + origin;
      await video.play();
      if (video.videoWidth === 0) throw new Error('the browser shows no picture');
    } catch {
      this.#video = undefined;
      return false;
    }
    const onFrame = (_now: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
      if (!this.isPlaying.value) return;
      const t = Math.max(0, mediaTime - origin);
      batch(() => {
        this.shown.value = { image: video, frame: -1, t, isExact: true };
        this.t.value = t;
        this.#follow(t);
      });
      video.requestVideoFrameCallback(onFrame);
    };
    video.requestVideoFrameCallback(onFrame);
    return true;
  }

  /** Shows frames of the server as fast as they come, at the time that the sound has. */
  async #playFrames(info: RecordingInfo): Promise<void> {
    const sound = new SoundPlayer(this.path, this.t.value, this.rate.value, info.hasSound, this.volume.value);
    this.#sound = sound;
    const end = info.index?.lastTime ?? this.duration.value;
    while (this.isPlaying.value && this.#sound === sound && !this.#isClosed) {
      const { t } = sound;
      if (t >= end) return this.pause();
      try {
        const shown = await this.#source!.exact({ t }, new AbortController().signal, PLAY_WIDTH);
        if (this.#sound !== sound) return;
        this.#show(shown, performance.now());
        this.t.value = sound.t;
        this.#follow(this.t.value);
      } catch {
        await new Promise((resolve) => void setTimeout(resolve, 100));
      }
      await new Promise((resolve) => void requestAnimationFrame(resolve));
    }
  }

  /** Moves the time line so that a time is on it. */
  #follow(t: number): void {
    const { from, to } = this.visibleRange.value;
    if (t >= from && t <= to) return;
    const length = to - from;
    this.setVisibleRange({ from: t, to: t + length });
  }

  /** Moves the time line so that a time is on it, with some of what surrounds it. */
  reveal(t: number): void {
    const { from, to } = this.visibleRange.value;
    const margin = (to - from) * 0.05;
    if (t >= from + margin && t <= to - margin) return;
    const length = to - from;
    this.setVisibleRange({ from: t - length / 2, to: t + length / 2 });
  }

  /** Chooses what the time line covers. */
  setVisibleRange({ from, to }: TimeRange): void {
    if (this.leader) return this.leader.setVisibleRange({ from, to });
    const end = Math.max(this.duration.value, MIN_VISIBLE_SECONDS);
    const length = Math.max(MIN_VISIBLE_SECONDS, Math.min(end, to - from));
    const start = Math.max(0, Math.min(end - length, from));
    this.visibleRange.value = { from: start, to: start + length };
  }

  /** Enlarges the time line around a time; factors below 1 show more. */
  zoom(factor: number, around: number): void {
    const { from, to } = this.visibleRange.value;
    this.setVisibleRange({ from: around - (around - from) / factor, to: around + (to - around) / factor });
  }
}
