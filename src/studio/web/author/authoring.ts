import { batch, computed, effect, signal } from '@preact/signals';
import { editPack, type learnSound, readElements, runTests, showPack, showProgress } from '../../api/authoring.ts';
import type { RouteBody, RouteResponse } from '../../api/route.ts';
import { showHistory, stepHistory } from '../../api/workspace.ts';
import { call } from '../api-client.ts';
import type { Player, TimeRange } from '../player/player.ts';

/** A pack as the server describes it. */
export type Pack = RouteResponse<typeof showPack>;
/** An element of the HUD. */
export type Element = Pack['elements'][number];
/** What an element shows at the time of the picture. */
export type Reading = RouteResponse<typeof readElements>['readings'][number];
/** A step that changes the pack. */
export type Edit = RouteBody<typeof editPack>['edit'];
/** What a run of the tests gave. */
export type TestRun = RouteResponse<typeof runTests>;
/** A rectangle in pixels of the reference frame. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A new element that is drawn and not saved. */
export interface DrawnBox {
  readonly box: Box;
  readonly name: string;
  readonly detector: Readonly<Record<string, unknown>>;
}

/** A cue at which a run of the script says what is known. */
export type Breakpoint = NonNullable<RouteBody<typeof runTests>['breakpoints']>[number];
/** What was known at such a cue. */
export type Stop = TestRun['stops'][number];
/** A sound that is marked on the waveform, and what was found out about it. */
export interface MarkedSound {
  readonly name: string;
  readonly ranges: readonly TimeRange[];
  readonly learnt?: RouteResponse<typeof learnSound>;
}

const POLL_MS = 250;
/** Milliseconds without a change before the tests run again. */
const RERUN_MS = 500;
/** Changes after which the stored readings still hold. */
const WITHOUT_READING: ReadonlySet<Edit['op']> = new Set([
  'accept',
  'add-rule',
  'replace-rule',
  'remove-rule',
  'add-word',
  'script',
  'recordings',
  'test',
  'remove-test',
]);

/** A pack that is being written, shared by the author's pages. */
export class Authoring {
  readonly path: string;
  readonly game: string;
  readonly pack = signal<Pack | undefined>(undefined);
  readonly error = signal<unknown>(undefined);
  readonly selected = signal<string | undefined>(undefined);
  readonly readings = signal<ReadonlyMap<string, Reading>>(new Map());
  /** The reading of the selected element with its pictures, or of the box that is drawn. */
  readonly detail = signal<Reading | undefined>(undefined);
  readonly drawn = signal<DrawnBox | undefined>(undefined);
  readonly sound = signal<MarkedSound | undefined>(undefined);
  readonly breakpoints = signal<readonly Breakpoint[]>([]);
  readonly milliseconds = signal(0);
  readonly history = signal<RouteResponse<typeof showHistory>>({ canUndo: false, canRedo: false });
  /** The last test; `isStale` after a change. */
  readonly tested = signal<{ readonly run: TestRun; readonly isStale: boolean } | undefined>(undefined);
  /** How often the pack was run: its readings are then new. */
  readonly runs = signal(0);
  readonly notice = signal('');
  readonly element = computed(() => this.pack.value?.elements.find(({ name }) => name === this.selected.value));
  /** The tests run again after a change. */
  readonly isScoring = signal(false);
  #isReading = false;
  #readingAll = new AbortController();
  #isWanted = false;
  /** Changes since the pack was opened. */
  #edits = 0;
  /** The last test has stored the readings of all elements as they are. */
  #areReadingsStored = false;
  #rerun: ReturnType<typeof setTimeout> | undefined;

  constructor(path: string, game: string) {
    this.path = path;
    this.game = game;
    void this.load();
  }

  /** Names the pack in requests. */
  get id(): { readonly path: string; readonly game: string } {
    return { path: this.path, game: this.game };
  }

  /** Reads the pack anew. */
  async load(): Promise<void> {
    try {
      this.pack.value = await call(showPack, { query: this.id });
      await this.#loadHistory();
    } catch (error) {
      this.error.value = error;
    }
  }

  /**
   * Saves a change. Returns whether that worked.
   *
   * @param notice What to say afterwards.
   */
  async edit(edit: Edit, notice = ''): Promise<boolean> {
    try {
      this.notice.value = notice;
      this.take(await call(editPack, { body: { ...this.id, edit } }));
      if (!WITHOUT_READING.has(edit.op)) this.#areReadingsStored = false;
      else if (this.tested.value && this.#areReadingsStored) this.#scheduleTests();
      return true;
    } catch (error) {
      this.error.value = error;
      return false;
    }
  }

  /**
   * Runs the tests, or the pack on one recording without comparing.
   *
   * @param options `media`: the recording; `job`: by which the progress is asked for.
   */
  async runTests(options: Pick<RouteBody<typeof runTests>, 'media' | 'job' | 'breakpoints'> = {}): Promise<TestRun> {
    clearTimeout(this.#rerun);
    const edits = this.#edits;
    const run = await call(runTests, { body: { ...this.id, ...options } });
    batch(() => {
      this.runs.value += 1;
      if (options.media === undefined) this.tested.value = { run, isStale: edits !== this.#edits };
    });
    if (options.media === undefined && edits === this.#edits) this.#areReadingsStored = true;
    return run;
  }

  /** Scores a change that needs no new readings at once: the author sees what it does. */
  #scheduleTests(): void {
    clearTimeout(this.#rerun);
    this.#rerun = setTimeout(() => {
      this.isScoring.value = true;
      void this.runTests()
        .catch((error: unknown) => {
          this.error.value = error;
        })
        .finally(() => {
          this.isScoring.value = false;
        });
    }, RERUN_MS);
  }

  /** Takes over what the server answered to a change. */
  take(pack: Pack): void {
    this.#edits++;
    batch(() => {
      this.pack.value = pack;
      this.error.value = undefined;
      if (this.tested.value) this.tested.value = { ...this.tested.value, isStale: true };
    });
    void this.#loadHistory();
  }

  /** Undoes the last change, or does it again. */
  async step(step: 'undo' | 'redo'): Promise<void> {
    try {
      this.history.value = await call(stepHistory, { body: { path: this.path, step } });
      this.#edits++;
      this.#areReadingsStored = false;
      if (this.tested.value) this.tested.value = { ...this.tested.value, isStale: true };
      await this.load();
    } catch (error) {
      this.error.value = error;
    }
  }

  async #loadHistory(): Promise<void> {
    this.history.value = await call(showHistory, { query: { path: this.path } });
  }

  /** Reads the elements whenever the player shows another frame, an element changes or a box is drawn. */
  follow(player: Player): () => void {
    return effect(() => {
      const { value: shown } = player.shown;
      // All that a reading depends on.
      void [this.pack.value, this.selected.value, this.drawn.value];
      if (shown?.isExact === true && this.pack.value) void this.#read(player);
    });
  }

  /** Reads all elements, unless a box is drawn meanwhile. */
  async #readAll(common: Pick<RouteBody<typeof readElements>, 'path' | 'game' | 'media' | 't'>): Promise<void> {
    this.#readingAll = new AbortController();
    const { signal: aborted } = this.#readingAll;
    try {
      const { readings } = await call(readElements, { body: common, signal: aborted });
      this.readings.value = new Map(readings.map((reading) => [reading.name, reading]));
    } catch (error) {
      if (!aborted.aborted) throw error;
    }
  }

  /** Reads the newest picture until there is no newer one. */
  async #read(player: Player): Promise<void> {
    this.#isWanted = true;
    // Who has drawn a box waits for its reading, not for those of all others.
    if (this.drawn.peek()) this.#readingAll.abort();
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        const t = player.shown.peek()?.t;
        if (t === undefined) return;
        const drawn = this.drawn.peek();
        const name = this.selected.peek();
        const common = { ...this.id, media: player.path, t };
        const detail = drawn
          ? call(readElements, {
              body: {
                ...common,
                trial: { name: drawn.name === '' ? 'new' : drawn.name, box: drawn.box, detector: drawn.detector },
                hasPictures: true,
              },
            })
          : name === undefined || this.element.peek()?.status === 'refused'
            ? undefined
            : call(readElements, { body: { ...common, names: [name], hasPictures: true } });
        const one = await detail;
        if (one) {
          this.detail.value = one.readings[0];
          this.milliseconds.value = one.milliseconds;
        } else this.detail.value = undefined;
        if (this.#isWanted) continue;
        await this.#readAll(common);
      }
    } catch (error) {
      this.error.value = error;
    } finally {
      this.#isReading = false;
    }
  }
}

/** Follows the progress of a long request; the name goes with the request. */
export function trackProgress(share: { value: number }): { readonly job: string; readonly stop: () => void } {
  const job = crypto.randomUUID();
  const timer = setInterval(() => {
    void call(showProgress, { query: { job } })
      .then((answer) => {
        share.value = answer.share;
      })
      .catch(() => undefined);
  }, POLL_MS);
  return { job, stop: () => clearInterval(timer) };
}

let current: Authoring | undefined;

/** The pack that was opened last. */
export function openedPack(): { readonly path: string; readonly game: string } | undefined {
  return current?.id;
}

/** The pack that pages work on: the same object on all of them. */
export function authoringOf(path: string, game: string): Authoring {
  if (current?.path !== path || current.game !== game) current = new Authoring(path, game);
  return current;
}
