import { batch, signal } from '@preact/signals';
import { correctEvents, findEvent, listEvents, showLog } from '../../api/log.ts';
import type { RouteBody, RouteResponse } from '../../api/route.ts';
import { showHistory, stepHistory } from '../../api/workspace.ts';
import { call } from '../api-client.ts';
import type { Player } from '../player/player.ts';

/** What the server knows of a log. */
export type LogInfo = RouteResponse<typeof showLog>;
/** A page of events. */
export type EventPage = RouteResponse<typeof listEvents>;
/** An event in the list. */
export type EventRow = EventPage['rows'][number];
/** What a person says of an event. */
export type RequestedCorrection = RouteBody<typeof correctEvents>['corrections'][number];
/** Which events are listed. */
export type Filter = 'all' | 'open' | 'uncertain' | 'corrected';

/** Events that are fetched at once. */
const PAGE_SIZE = 100;
/** Milliseconds without typing before a question is asked. */
const TYPING_MS = 160;
/** Pages that are kept. */
const MAX_PAGES = 30;

/** The events of a log as a person reviews them: question, list, selection and corrections. */
export class Review {
  readonly log: string;
  readonly player: Player;
  readonly info = signal<LogInfo | undefined>(undefined);
  readonly error = signal<unknown>(undefined);
  readonly question = signal('');
  readonly filter = signal<Filter>('all');
  /** What the list shows: the answer to the last question that was asked. */
  readonly list = signal<
    { readonly total: number; readonly all: number; readonly asked?: EventPage['asked'] } | undefined
  >(undefined);
  readonly pages = signal<ReadonlyMap<number, readonly EventRow[]>>(new Map());
  /** Place of the selected event in the list. */
  readonly position = signal(-1);
  readonly selected = signal<EventRow | undefined>(undefined);
  readonly version = signal('');
  readonly history = signal<RouteResponse<typeof showHistory>>({ canUndo: false, canRedo: false });
  /** What was just done, for a person who does not see the list. */
  readonly notice = signal('');
  #typing: ReturnType<typeof setTimeout> | undefined;
  #asking = new AbortController();
  readonly #loading = new Set<number>();
  /** Question and filter that the list answers. */
  #asked = { question: '', filter: 'all' as Filter };

  constructor(log: string, player: Player) {
    this.log = log;
    this.player = player;
    void this.#refreshInfo();
    void this.ask();
  }

  /** Ends what is being fetched. */
  close(): void {
    clearTimeout(this.#typing);
    this.#asking.abort();
  }

  /** Asks the question once typing pauses. */
  setQuestion(question: string): void {
    this.question.value = question;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.ask(), TYPING_MS);
  }

  /** Lists other events. */
  setFilter(filter: Filter): void {
    this.filter.value = filter;
    void this.ask();
  }

  /** Asks the question now. A question that is not understood leaves the list as it is. */
  async ask(): Promise<void> {
    clearTimeout(this.#typing);
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal: aborted } = this.#asking;
    const asked = { question: this.question.value, filter: this.filter.value };
    try {
      const query = { log: this.log, ...asked, offset: 0, count: PAGE_SIZE };
      const page = await call(listEvents, { query, signal: aborted });
      if (aborted.aborted) return;
      batch(() => {
        this.error.value = undefined;
        this.version.value = page.version;
        const list = { all: page.all, ...(page.asked && { asked: page.asked }) };
        if (page.asked && !page.asked.isUnderstood) {
          this.list.value = { ...list, total: this.list.value?.total ?? 0 };
          return;
        }
        this.#asked = asked;
        this.#loading.clear();
        this.list.value = { ...list, total: page.total };
        this.pages.value = new Map([[0, page.rows]]);
      });
      await this.#findSelected();
    } catch (error) {
      if (!aborted.aborted) this.error.value = error;
    }
  }

  /** The event at a place of the list; undefined while it is being fetched. */
  rowAt(position: number): EventRow | undefined {
    const page = Math.floor(position / PAGE_SIZE);
    const rows = this.pages.value.get(page);
    if (!rows) void this.#load(page);
    return rows?.[position % PAGE_SIZE];
  }

  async #load(page: number): Promise<readonly EventRow[]> {
    const known = this.pages.value.get(page);
    if (known) return known;
    if (this.#loading.has(page)) return [];
    this.#loading.add(page);
    const asked = this.#asked;
    try {
      const query = { log: this.log, ...asked, offset: page * PAGE_SIZE, count: PAGE_SIZE };
      const { rows } = await call(listEvents, { query });
      if (asked !== this.#asked) return [];
      const pages = new Map([...this.pages.value, [page, rows] as const]);
      for (const oldest of pages.keys()) {
        if (pages.size <= MAX_PAGES) break;
        pages.delete(oldest);
      }
      this.pages.value = pages;
      return rows;
    } catch (error) {
      this.error.value = error;
      return [];
    } finally {
      this.#loading.delete(page);
    }
  }

  /** Selects the event at a place of the list, and shows it. */
  async select(position: number): Promise<void> {
    const total = this.list.value?.total ?? 0;
    if (total === 0) return;
    const wanted = Math.max(0, Math.min(total - 1, position));
    const page = Math.floor(wanted / PAGE_SIZE);
    const rows = this.pages.value.get(page) ?? (await this.#load(page));
    const row = rows[wanted % PAGE_SIZE];
    if (!row) return;
    this.#choose(row, wanted);
    this.player.seek(row.t);
    this.player.reveal(row.t);
  }

  /** Selects an event by its id, and goes to its time. */
  async selectById(id: string, t: number): Promise<void> {
    this.player.seek(t);
    const { previous, next, position } = await this.#near(t);
    const rows = [previous, next, await this.#at(t)].flat();
    const row = rows.find((each) => each?.id === id);
    if (row) this.#choose(row, await this.#positionOf(row, position));
  }

  #choose(row: EventRow, position: number): void {
    batch(() => {
      this.selected.value = row;
      this.position.value = position;
    });
  }

  /** Goes to the next event of the list after where the player is, or to the one before. */
  async step(direction: 1 | -1): Promise<void> {
    const near = await this.#near(this.player.t.value);
    const row = direction > 0 ? near.next : near.previous;
    if (!row) return;
    this.#choose(row, await this.#positionOf(row, near.position));
    this.player.seek(row.t);
    this.player.reveal(row.t);
  }

  async #near(t: number) {
    return await call(findEvent, { query: { log: this.log, ...this.#asked, t } });
  }

  /** The events of the list at a time. */
  async #at(t: number): Promise<readonly EventRow[]> {
    const before = await this.#near(t - 1e-3);
    const page = await this.#load(Math.floor(before.position / PAGE_SIZE));
    return page.filter((row) => Math.abs(row.t - t) < 1e-3);
  }

  /** The place of an event in the list, which lies near a known place. */
  async #positionOf(row: EventRow, near: number): Promise<number> {
    for (const position of [near, near - 1]) {
      const page = Math.floor(Math.max(0, position) / PAGE_SIZE);
      const at = (await this.#load(page)).findIndex(({ id }) => id === row.id);
      if (at >= 0) return page * PAGE_SIZE + at;
    }
    return near;
  }

  /** Finds the selected event in a new list. */
  async #findSelected(): Promise<void> {
    const row = this.selected.value;
    if (!row) return;
    const [first] = (await this.#at(row.t)).filter(({ id }) => id === row.id);
    if (!first) {
      this.#choose(row, -1);
      return;
    }
    this.#choose(first, await this.#positionOf(first, (await this.#near(row.t - 1e-3)).position));
  }

  /**
   * Saves corrections.
   *
   * @param done What was done, for the notice.
   * @throws RequestError Where the server refuses them.
   */
  async correct(corrections: readonly RequestedCorrection[], done: string): Promise<void> {
    await call(correctEvents, { body: { log: this.log, corrections } });
    this.notice.value = done;
    await this.#refresh();
  }

  /** Corrects the selected event, and goes on to the next one at once: the next key is about that. */
  async judge(type: 'approve' | 'delete' | 'revert', done: string): Promise<void> {
    const row = this.selected.value;
    if (!row) return;
    const moved = type === 'revert' ? undefined : this.select(this.position.value + 1);
    try {
      await this.correct([{ type, id: row.id }], done);
      await moved;
    } catch (error) {
      this.error.value = error;
    }
  }

  /** Undoes or redoes the last change in the folder. */
  async stepHistory(step: 'undo' | 'redo'): Promise<void> {
    try {
      const label = this.history.value[step];
      this.history.value = await call(stepHistory, { body: { path: this.log, step } });
      if (label !== undefined) this.notice.value = label;
      await this.#refresh();
    } catch (error) {
      this.error.value = error;
    }
  }

  async #refresh(): Promise<void> {
    await this.ask();
    await this.#refreshInfo();
  }

  async #refreshInfo(): Promise<void> {
    try {
      const info = await call(showLog, { query: { log: this.log } });
      const history = await call(showHistory, { query: { path: this.log } });
      batch(() => {
        this.info.value = info;
        this.version.value = info.version;
        this.history.value = history;
      });
      if (info.interval !== undefined) this.player.interval = info.interval;
    } catch (error) {
      this.error.value = error;
    }
  }
}
