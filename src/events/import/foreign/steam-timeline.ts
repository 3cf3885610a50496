import { isObject } from '../../../json.ts';
import { LogImporter } from '../import-log.ts';
import { loadMapping } from '../mapping.ts';
import { type ForeignFormat, numberOf, textOf } from './format.ts';

/** Modes of `SetTimelineGameMode` by number. */
const MODES = ['', 'playing', 'staging', 'menus', 'loading screen'];

/**
 * Timelines that Steam records next to game recordings (`userdata/<id>/gamerecordings/timelines/timeline_*.json`): markers of
 * the game, of the player, achievements. Titles are in the words of the game, so rules make events of them: those of
 * `configs/steam/steam-timeline.log.json`, or of a mapping of one's own. A rule sees `<type> <icon> <title> | <description>`.
 *
 * Times count from the start of the timeline, in milliseconds. What games write: https://partner.steamgames.com/doc/api/ISteamTimeline
 */
export const steamTimeline: ForeignFormat = {
  name: 'steam-timeline',
  title: 'timeline of a Steam game recording',
  game: 'steam',
  dictionaries: ['broadcast', 'tactical-shooter', 'moba', 'sports'],
  recognize: (head) =>
    /^\s*\{/.test(head) && /"entries"\s*:\s*\[/.test(head) && /"(?:daterecorded|starttime)"/.test(head),
  async read(file, { sessions, people, mapping }) {
    const importer = new LogImporter(mapping ?? (await loadMapping('steam-timeline')), sessions, people.player);
    for await (const { value, offset } of file.items(['entries.*'])) {
      if (!isObject(value)) continue;
      const time = numberOf(value['time']);
      if (time === undefined) continue;
      const type = textOf(value['type']) ?? 'event';
      const mode = MODES[numberOf(value['mode']) ?? 0];
      const title = textOf(value['title']) ?? (type === 'gamemode' ? mode : textOf(value['name'])) ?? '';
      const line = `${type} ${textOf(value['icon']) ?? '-'} ${title} | ${textOf(value['description']) ?? ''}`;
      importer.addRecord(time / 1000, line.replaceAll(/\s+/g, ' ').trimEnd(), `byte ${offset}`);
    }
  },
};
