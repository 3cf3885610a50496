import type { EventLine, HeaderLine, LogLine } from '../../events/log.ts';
import type { HighlightList } from '../list.ts';
import type { Scene, Source } from '../scene.ts';
import { roundTime } from '../../time.ts';

/** What the header of a reel's log needs beyond its scenes. */
export interface ReelMedia {
  readonly name: string;
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly hash?: string;
  readonly bytes?: number;
}

/**
 * The event log of a reel: everything that happens in its scenes, at the times of the reel, each with where it came
 * from. A log inside the reel cannot hold the reel's own hash: then hash and size are left empty.
 */
export function reelLog(
  list: HighlightList,
  scenes: readonly Scene[],
  sources: readonly Source[],
  media: ReelMedia,
): string {
  const session = media.name.replace(/\.[^.]*$/, '');
  const used = [...new Set(scenes.map((scene) => scene.source))].map((index) => sources[index]!);
  const events = list.scenes.flatMap((listed, index): EventLine[] => {
    const scene = scenes[index]!;
    const source = sources[scene.source]!;
    return source.events
      .filter(({ t }) => t >= listed.start && t < listed.end)
      .map((event) => {
        const { id, t, end, game, text, statement, confidence, cues } = event;
        const shift = listed.at - listed.start;
        const last = Math.min(end, listed.end);
        return {
          type: 'event',
          id: `${index + 1}-${id}`,
          t: roundTime(t + shift),
          end: roundTime(last + shift),
          game,
          session,
          text,
          statement,
          confidence,
          cues: cues.map((cue) => ({ ...cue, t: roundTime(cue.t + shift) })),
          source: { session: source.header.session, t },
        };
      });
  });
  const first = used[0]!.header;
  const dictionaries = used.flatMap(({ header }) => header.dictionaries);
  const header: HeaderLine = {
    type: 'header',
    format: 'playbyplay/1',
    game: new Set(used.map((source) => source.header.game)).size === 1 ? first.game : 'montage',
    session,
    media: {
      name: media.name,
      hash: media.hash ?? '',
      bytes: media.bytes ?? 0,
      duration: roundTime(media.duration),
      width: media.width,
      height: media.height,
      start: 0,
    },
    profile: first.profile,
    dictionaries: dictionaries.filter(
      ({ name }, index) => dictionaries.findIndex((each) => each.name === name) === index,
    ),
    plan: first.plan,
    program: first.program,
  };
  const lines: LogLine[] = [header, ...events, { type: 'end', events: events.length, gaps: 0, samples: 0 }];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}
