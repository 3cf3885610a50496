import { batch, computed, signal } from '@preact/signals';
import { chooseScenes, exportReel, renderReel, saveCut, showCut } from '../../api/cut.ts';
import { exportFormatList } from '../../api/cut-choices.ts';
import { listTimes } from '../../api/recording.ts';
import type { RouteBody, RouteResponse } from '../../api/route.ts';
import { showHistory, stepHistory } from '../../api/workspace.ts';
import { call } from '../api-client.ts';
import { FollowedJob } from '../components/job.tsx';
import type { Player } from '../player/player.ts';
import { text } from '../strings.ts';

/** A scene of the reel. */
export type CutScene = RouteResponse<typeof showCut>['scenes'][number];
/** How the reel is presented. */
export type ReelSettings = Omit<RouteBody<typeof renderReel>, 'logs' | 'scenes' | 'name'>;

const SAVE_MS = 250;
/** Seconds around a moment that is added by hand. */
const ADDED_SECONDS = 3;

/** The scenes of a reel while a person cuts it. Every change is saved at once. */
export class Cut {
  readonly log: string;
  readonly player: Player;
  readonly scenes = signal<readonly CutScene[] | undefined>(undefined);
  readonly selected = signal(-1);
  readonly error = signal<unknown>(undefined);
  readonly isChoosing = signal(false);
  readonly look = signal<ReelSettings>({ aspect: 'source', captions: 'track', style: 'plain', title: '' });
  readonly name = signal('reel.mp4');
  /** The reel that is being written. */
  readonly job = new FollowedJob();
  readonly history = signal<RouteResponse<typeof showHistory>>({ canUndo: false, canRedo: false });
  /** The scene that is played now; -1 while nothing is played. */
  readonly playing = signal(-1);
  readonly length = computed(() => (this.scenes.value ?? []).reduce((sum, { start, end }) => sum + end - start, 0));
  #version = '';
  #saving: ReturnType<typeof setTimeout> | undefined;
  #label = '';
  /** The saves so far, one after the other. */
  #saved: Promise<void> = Promise.resolve();
  #stopFollowing: (() => void) | undefined;

  constructor(log: string, player: Player) {
    this.log = log;
    this.player = player;
    void this.load();
  }

  /** Stops what is played. */
  close(): void {
    this.job.close();
    this.stop();
  }

  /** Reads the scenes as they are stored. */
  async load(): Promise<void> {
    await this.#try(async () => {
      const { scenes, version } = await call(showCut, { query: { log: this.log } });
      this.#version = version;
      batch(() => {
        this.scenes.value = scenes;
        this.selected.value = Math.min(this.selected.value, scenes.length - 1);
      });
      this.history.value = await call(showHistory, { query: { path: this.log } });
    });
  }

  /** Lets the program choose scenes. */
  async choose(duration: number, question: string): Promise<void> {
    this.isChoosing.value = true;
    await this.#try(async () => {
      const { scenes } = await call(chooseScenes, {
        body: { logs: [this.log], duration, ...(question.trim() !== '' && { question }) },
      });
      this.#change(scenes, text.cut.labels.chosen);
      this.selected.value = scenes.length > 0 ? 0 : -1;
    });
    this.isChoosing.value = false;
  }

  /** Adds a scene around where the player is. */
  addHere(): void {
    const { value: t } = this.player.t;
    const start = Math.max(0, t - ADDED_SECONDS);
    const end = Math.min(this.player.duration.value, t + ADDED_SECONDS);
    const made = {
      log: this.log,
      start,
      end,
      title: text.cut.newScene,
      because: '',
      kind: 'scene',
      score: 1,
      events: [],
    };
    const scenes = this.scenes.value ?? [];
    const at = this.selected.value + 1;
    this.#change(scenes.toSpliced(at, 0, made), text.cut.labels.added);
    this.selected.value = at;
  }

  /** Changes a scene. */
  update(index: number, change: Partial<CutScene>, label: string): void {
    const scenes = this.scenes.value ?? [];
    const scene = { ...scenes[index]!, ...change };
    if (scene.end - scene.start < 0.05) return;
    this.#change(scenes.with(index, scene), label);
  }

  /** Moves a scene to another place. */
  move(from: number, to: number): void {
    const scenes = this.scenes.value ?? [];
    if (to < 0 || to >= scenes.length || from === to || !scenes[from]) return;
    this.#change(scenes.toSpliced(from, 1).toSpliced(to, 0, scenes[from]), text.cut.labels.moved);
    this.selected.value = to;
  }

  /** Takes a scene out of the reel. */
  remove(index: number): void {
    const scenes = this.scenes.value ?? [];
    if (!scenes[index]) return;
    this.#change(scenes.toSpliced(index, 1), text.cut.labels.removed);
    this.selected.value = Math.min(index, scenes.length - 2);
  }

  /** Shows a scene's first frame. */
  select(index: number): void {
    const scene = this.scenes.value?.[index];
    this.selected.value = scene ? index : -1;
    if (!scene) return;
    this.player.seek(scene.start);
    this.player.reveal(scene.start);
  }

  /** Moves the beginning or end of a scene by frames of the recording. */
  async trim(index: number, edge: 'start' | 'end', frames: number): Promise<void> {
    const scene = this.scenes.value?.[index];
    if (!scene) return;
    await this.#try(async () => {
      const at = scene[edge];
      const query = { path: this.player.path, from: Math.max(0, at - 1), to: at + 1 };
      const { times } = await call(listTimes, { query });
      const next = frames > 0 ? times.filter((t) => t > at + 1e-4)[frames - 1] : times.findLast((t) => t < at - 1e-4);
      if (next === undefined) return;
      // It may have been moved meanwhile.
      const now = this.scenes.value?.indexOf(scene) ?? -1;
      if (now < 0) return;
      this.update(now, { [edge]: next }, text.cut.labels.trimmed);
      this.player.seek(next);
    });
  }

  /** Sets the beginning or end of the selected scene to where the player is. */
  trimHere(edge: 'start' | 'end'): void {
    const { value: index } = this.selected;
    const scene = this.scenes.value?.[index];
    if (!scene) return;
    const t = this.player.shown.value?.t ?? this.player.t.value;
    if (edge === 'start' ? t < scene.end : t > scene.start) this.update(index, { [edge]: t }, text.cut.labels.trimmed);
  }

  #change(scenes: readonly CutScene[], label: string): void {
    this.scenes.value = scenes;
    this.#label = label;
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => void this.#save(), SAVE_MS);
  }

  /** Saves the scenes once the save before is through, whose version it needs. */
  #save(): Promise<void> {
    const label = this.#label;
    this.#saved = this.#saved.then(() =>
      this.#try(async () => {
        const scenes = this.scenes.value ?? [];
        const body = { log: this.log, version: this.#version, label, scenes };
        this.#version = (await call(saveCut, { body })).version;
        this.history.value = await call(showHistory, { query: { path: this.log } });
      }),
    );
    return this.#saved;
  }

  /** Undoes or redoes the last change in the folder. */
  async stepHistory(step: 'undo' | 'redo'): Promise<void> {
    await this.#saved;
    await this.#try(async () => {
      await call(stepHistory, { body: { path: this.log, step } });
      await this.load();
    });
  }

  /** Plays the scenes one after the other, from one of them. */
  play(from = 0): void {
    this.stop();
    const scenes = this.scenes.value ?? [];
    if (!scenes[from]) return;
    this.playing.value = from;
    const begin = (index: number): void => {
      const scene = scenes[index];
      if (!scene) return this.stop();
      this.playing.value = index;
      this.player.seek(scene.start);
      this.player.reveal(scene.start);
      void this.player.play();
    };
    const stopTime = this.player.t.subscribe((t) => {
      const scene = scenes[this.playing.peek()];
      if (!scene || !this.player.isPlaying.peek() || t < scene.end) return;
      const next = this.playing.peek() + 1;
      setTimeout(() => begin(next));
    });
    const stopPlaying = this.player.isPlaying.subscribe((isPlaying) => {
      // A person pauses: the reel stays there.
      if (!isPlaying && this.player.t.peek() < (scenes[this.playing.peek()]?.end ?? 0) - 0.05)
        setTimeout(() => {
          if (!this.player.isPlaying.peek()) this.stop();
        }, 300);
    });
    this.#stopFollowing = () => {
      stopTime();
      stopPlaying();
    };
    begin(from);
  }

  /** Stops playing the reel. */
  stop(): void {
    this.#stopFollowing?.();
    this.#stopFollowing = undefined;
    if (this.playing.value >= 0) this.player.pause();
    this.playing.value = -1;
  }

  /** Writes the reel, and follows how far it is. */
  async render(): Promise<void> {
    await this.#try(async () => {
      const scenes = this.scenes.value ?? [];
      const logs = [...new Set([this.log, ...scenes.map(({ log }) => log)])];
      const job = await call(renderReel, { body: { logs, scenes, name: this.name.value, ...this.look.value } });
      await this.job.follow(job);
    });
  }

  /** Saves the scenes for another program, as a download of the browser. */
  async export(format: (typeof exportFormatList)[number][0]): Promise<void> {
    await this.#try(async () => {
      const scenes = this.scenes.value ?? [];
      const logs = [...new Set([this.log, ...scenes.map(({ log }) => log)])];
      const stem = this.name.value.replace(/\.\w+$/, '');
      const title = this.look.value.title === '' ? stem : (this.look.value.title ?? stem);
      const { text: content } = await call(exportReel, { body: { logs, scenes, format, title } });
      const ending = exportFormatList.find(([name]) => name === format)![1];
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([content]));
      link.download = `${stem}.${ending}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    });
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.error.value = undefined;
    } catch (error) {
      this.error.value = error;
    }
  }
}
