import type { Want } from '../../cues/nodes.ts';
import { type Issue, PlaybyplayError } from '../../errors.ts';
import { suggestSpelling } from '../../spelling.ts';
import type { Journal } from '../../events/journal.ts';
import type { HeaderLine } from '../../events/log.ts';
import { mediaOf } from '../../profile/media.ts';
import type { Profile } from '../../profile/profile.ts';
import type { ChunkReadings, Places } from '../reading/chunk-readings.ts';
import { type SourceReadings, Companion, type CompanionRun, type CompanionSource } from './companion.ts';
import type { Game } from '../game.ts';
import type { Woken } from '../interpreter.ts';

export type { CompanionSource } from './companion.ts';

/** The second recordings of a session that are given, all at once. */
export class Companions implements AsyncDisposable {
  /** Sound tracks and motion vectors that are not there. */
  readonly issues: readonly Issue[];
  readonly #profile: Profile;
  readonly #companions: readonly Companion[];

  private constructor(profile: Profile, companions: readonly Companion[], issues: readonly Issue[]) {
    this.#profile = profile;
    this.#companions = companions;
    this.issues = issues;
  }

  /** Throws PlaybyplayError `unknown-media` for a name that the profile does not have, and what `Companion.open` throws. */
  static async open(sources: readonly CompanionSource[], game: Game, run: CompanionRun): Promise<Companions> {
    const issues: Issue[] = [];
    await using resources = new AsyncDisposableStack();
    const companions: Companion[] = [];
    checkNames(sources, game.profile);
    for (const source of sources) {
      const missing = ({ code, message }: PlaybyplayError): void => {
        issues.push({ code, message: `${source.name}: ${message}; what the profile listens for there is left out` });
      };
      const note = (issue: Issue): void => {
        issues.push({ ...issue, message: `${source.name}: ${issue.message}` });
      };
      companions.push(resources.use(await Companion.open(source, game, run, missing, note)));
    }
    resources.move();
    return new Companions(game.profile, companions, issues);
  }

  /** For the log's header. */
  get prints(): NonNullable<HeaderLine['companions']> {
    return this.#companions.map(({ print }) => print);
  }

  /** Detectors whose recording is not given. */
  get missing(): readonly { readonly detector: string; readonly media: string }[] {
    return Object.entries(this.#profile.detectors).flatMap(([detector, spec]) => {
      const media = mediaOf(spec);
      return media === undefined || this.#companions.some(({ name }) => name === media) ? [] : [{ detector, media }];
    });
  }

  begin(journal: Journal<ChunkReadings>): void {
    for (const companion of this.#companions) companion.begin(journal);
  }

  /** The readings of all before `t` seconds of the recording that were not given yet. */
  async until(t: number): Promise<SourceReadings> {
    const readings: SourceReadings['readings'][] = [];
    const gaps: SourceReadings['gaps'][] = [];
    for (const companion of this.#companions) {
      const told = await companion.until(t);
      readings.push(told.readings);
      gaps.push(told.gaps);
    }
    return { readings: readings.flat(), gaps: gaps.flat() };
  }

  /** Reads what turned out to be switched on, each in its recording; `rest` reads that of the recording itself. */
  async wake(
    wants: readonly Want[],
    places: Places,
    rest: (wants: readonly Want[]) => Promise<readonly Woken[]>,
  ): Promise<readonly Woken[]> {
    if (this.#companions.length === 0) return await rest(wants);
    const woken: Woken[] = [];
    const { detectors } = this.#profile;
    for (const [media, own] of Map.groupBy(wants, ({ detector }) => mediaOf(detectors[detector]!))) {
      const companion = this.#companions.find(({ name }) => name === media);
      woken.push(...(companion ? await companion.wake(own, places) : await rest(own)));
    }
    return woken.toSorted((a, b) => a.t - b.t);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const companion of this.#companions) await companion[Symbol.asyncDispose]();
  }
}

function checkNames(sources: readonly CompanionSource[], { media = {} }: Profile): void {
  const known = Object.keys(media);
  const seen = new Set<string>();
  for (const { name } of sources) {
    if (seen.has(name)) throw new PlaybyplayError('unknown-media', `“${name}” is given twice`);
    seen.add(name);
    if (known.includes(name)) continue;
    const names =
      known.length === 0 ? 'The profile has none: see “media” in docs/profiles.md.' : `It has ${known.join(', ')}.`;
    throw new PlaybyplayError('unknown-media', `the profile knows no companion recording “${name}”`, {
      hint: suggestSpelling(name, known) ?? names,
    });
  }
}
