import type { Reading } from '../../detectors/kind.ts';
import type { Issue, PlaybyplayError } from '../../errors.ts';
import type { Journal } from '../../events/journal.ts';
import type { ChunkReadings } from '../reading/chunk-readings.ts';
import type { SourceReadings } from './companion.ts';
import type { Companions } from './companions.ts';
import type { Following } from './following.ts';
import type { Game } from '../game.ts';
import { Hearing, type HearingOptions } from './hearing.ts';

/** What is read besides the recording's pictures: its sound, files with clocks of their own, second recordings of the session. */
export class OtherSources implements Disposable {
  readonly #hearing: Hearing;
  readonly #following: Following;
  readonly #companions: Companions;

  private constructor(hearing: Hearing, following: Following, companions: Companions) {
    this.#hearing = hearing;
    this.#following = following;
    this.#companions = companions;
  }

  /** `note` is told what of it the profile asks for and the session does not have. */
  static async open(
    media: string,
    game: Game,
    {
      following,
      companions,
      journal,
    }: { following: Following; companions: Companions; journal: Journal<ChunkReadings> },
    options: HearingOptions,
    note: (issue: Issue) => void,
  ): Promise<OtherSources> {
    const { profile, assets, plugins } = game;
    const silent = ({ code, message }: PlaybyplayError): void =>
      note({ code, message: `${message}; what the profile listens for is left out` });
    const hearing = await Hearing.open(media, profile, assets, options, silent, plugins);
    const { from = 0, to = Number.POSITIVE_INFINITY } = options;
    const lacking = (detector: string, stream: string): void =>
      note({ code: 'no-such-stream', message: `“${detector}” reads “${stream}”, which is not given` });
    await following.read(profile, from, to, lacking, plugins);
    for (const { detector, media: name } of companions.missing)
      note({ code: 'no-such-media', message: `“${detector}” needs “${name}”, which is not given (--media)` });
    for (const issue of companions.issues) note(issue);
    companions.begin(journal);
    return new OtherSources(hearing, following, companions);
  }

  /** What lies before `t` seconds and was not given yet; the readings in order of time. */
  async until(t: number): Promise<SourceReadings> {
    const { readings, gaps } = await this.#companions.until(t);
    const all: Reading[] = [...this.#hearing.until(t), ...this.#following.until(t), ...readings];
    return { readings: all.toSorted((a, b) => a.t - b.t), gaps };
  }

  [Symbol.dispose](): void {
    this.#hearing[Symbol.dispose]();
  }
}
