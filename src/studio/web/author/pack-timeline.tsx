import { useMemo } from 'preact/hooks';
import type { Lane } from '../player/lanes.tsx';
import type { Player, TimeRange } from '../player/player.ts';
import { Readings } from '../player/readings.ts';
import { Timeline } from '../player/timeline.tsx';
import type { Authoring } from './authoring.ts';
import { markSound } from './sound-panel.tsx';

/** What the elements of a pack read when it was last run on the recording of a player. */
export function usePackReadings(authoring: Authoring, player: Player): Readings {
  return useMemo(() => new Readings({ pack: authoring.path, media: player.path }, player), [authoring, player]);
}

/** The time line of a recording from which a pack is written. */
export function PackTimeline({
  authoring,
  player,
  readings,
  marked,
}: {
  readonly authoring: Authoring;
  readonly player: Player;
  readonly readings: Readings;
  readonly marked?: readonly Lane[];
}) {
  const { value: sound } = authoring.sound;
  const { value: runs } = authoring.runs;
  return (
    <Timeline
      player={player}
      readings={readings}
      readingsVersion={runs}
      {...(marked && { marked })}
      {...(sound && {
        soundMarks: {
          ranges: sound.ranges,
          found: sound.learnt?.found.map(({ t }) => t) ?? [],
          onMark: (range: TimeRange) => markSound(authoring, range),
        },
      })}
    />
  );
}
