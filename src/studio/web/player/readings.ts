import { signal } from '@preact/signals';
import { findChange, readReadings } from '../../api/readings.ts';
import type { RouteResponse } from '../../api/route.ts';
import { call } from '../api-client.ts';
import type { Player, TimeRange } from './player.ts';

/** What a detector read along a timeRange. */
export type ReadingLane = RouteResponse<typeof readReadings>['lanes'][number];
/** A change of a reading. */
export type ReadingChange = NonNullable<RouteResponse<typeof findChange>['change']>;

/** Where readings are stored: with a log, or with a pack from its last test of a recording. */
export type ReadingsPlace = { readonly log: string } | { readonly pack: string; readonly media: string };

/** What detectors read along a recording, and the field by whose changes a person steps. */
export class Readings {
  readonly place: ReadingsPlace;
  /** The field that was chosen; steps go by its changes, else by those of any. */
  readonly field = signal<string | undefined>(undefined);
  /** The change that was stepped to last; undefined where there was none. */
  readonly change = signal<ReadingChange | 'none' | undefined>(undefined);
  readonly #player: Player;
  #isStepping = false;

  constructor(place: ReadingsPlace, player: Player) {
    this.place = place;
    this.#player = player;
  }

  /** The lanes of a timeRange. */
  async lanes(
    { from, to }: TimeRange,
    columns: number,
    aborted: AbortSignal,
  ): Promise<RouteResponse<typeof readReadings>> {
    return await call(readReadings, { query: { ...this.place, from, to, columns }, signal: aborted });
  }

  /** Chooses a field, or none where it is chosen already. */
  choose(name: string): void {
    this.field.value = this.field.value === name ? undefined : name;
    this.change.value = undefined;
  }

  /** Goes to the next change of the chosen field, or to the one before. */
  async step(direction: 'next' | 'previous'): Promise<void> {
    if (this.#isStepping) return;
    this.#isStepping = true;
    try {
      const name = this.field.value;
      const t = this.#player.t.value;
      const query = { ...this.place, t, direction, ...(name === undefined ? {} : { name }) };
      const { change } = await call(findChange, { query });
      this.change.value = change ?? 'none';
      if (!change) return;
      this.#player.seek(change.t);
      this.#player.reveal(change.t);
    } finally {
      this.#isStepping = false;
    }
  }
}
