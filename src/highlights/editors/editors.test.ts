import { describe, expect, it } from 'vitest';
import type { Rational } from '../../time.ts';
import { Dictionary } from '../../dictionary/dictionary.ts';
import type { Scene, Source } from '../list.ts';
import { parseTimecode } from '../../../test/fixtures/timecode.ts';
import { sceneTimeline, type Timeline } from './timeline.ts';
import { edl, resolveCsv, resolveEdl } from './edl.ts';
import { fcpxml } from './fcpxml.ts';
import { mlt } from './mlt.ts';
import { otio } from './otio.ts';
import { xmeml } from './xmeml.ts';

const ntsc = { num: 30_000, den: 1001 };

/** Two scenes of two recordings, one name with spaces and letters beyond ASCII, markup in the words. */
function edit(rate: Rational): Timeline {
  const media = { rate, duration: 40_000, width: 1280, height: 720, hasSound: true };
  return {
    title: 'Best & "worst" <1>',
    rate,
    width: 1280,
    height: 720,
    media: [
      { ...media, path: '/clips/größe 1.mp4', name: 'größe 1.mp4' },
      { ...media, path: '/clips/sub/größe 2 – b.mp4', name: 'größe 2 – b.mp4', hasSound: false },
    ],
    clips: [
      {
        media: 0,
        name: 'player kills <opponent>',
        note: 'because & so',
        source: 1790,
        sourceLength: 25,
        speed: 1,
        at: 0,
        length: 25,
        markers: [{ source: 1800, at: 10, text: 'player kills <opponent> | "x"', class: 'victory' }],
      },
      {
        media: 1,
        name: 'player dies',
        note: '',
        source: 17_982,
        sourceLength: 50,
        speed: 0.5,
        at: 25,
        length: 100,
        markers: [],
      },
    ],
    duration: 125,
  };
}

it('writes every format for a log that does not say the size of the pictures', () => {
  const header = { media: { name: 'a.mp4', duration: 90 } };
  const sources = [{ header, events: [] }] as unknown as Source[];
  const empty = sceneTimeline([], sources, { title: '', dictionary: new Dictionary([], [], []) });
  expect(mlt(empty)).toContain('display_aspect_num="16" display_aspect_den="9"');
});

describe('sceneTimeline', () => {
  it('has the frames that reels have: those from the start of a scene to its end', () => {
    const header = { media: { name: 'a.mp4', duration: 90, width: 64, height: 36, frameRate: { num: 30, den: 1 } } };
    const sources = [{ header, events: [] }] as unknown as Source[];
    const times = [1.001, 2.02, 3.033334, 4.5, 5.016667, 61.98];
    for (const start of times)
      for (const end of times.filter((t) => t > start)) {
        const scenes = [{ source: 0, start, end, events: [], kind: 'k', because: '' }] as unknown as Scene[];
        const { clips, duration } = sceneTimeline(scenes, sources, {
          title: '',
          dictionary: new Dictionary([], [], []),
        });
        const frames = Array.from({ length: 2700 }, (_, n) => n).filter(
          (n) => n / 30 >= start - 1e-6 && n / 30 < end - 1e-6,
        );
        expect([clips[0]!.source, duration]).toEqual([frames[0], frames.length]);
      }
  });
});

describe('edl', () => {
  it('round-trips every frame in drop-frame and plain timecode', () => {
    for (const rate of [ntsc, { num: 25, den: 1 }]) {
      const text = edl(edit(rate));
      const rows = text.split('\n').filter((line) => /^\d{3} /.test(line));
      const frames = rows.map((row) =>
        row
          .trim()
          .split(/\s+/)
          .slice(-4)
          .map((code) => parseTimecode(code, rate)!),
      );
      // An hour of timecode is 107892 frames at 29.97 in drop-frame, 90000 at 25.
      const hour = rate === ntsc ? 107_892 : 90_000;
      expect(frames).toEqual([
        [1790, 1815, hour, hour + 25],
        [17_982, 18_032, hour + 25, hour + 125],
      ]);
      expect(text).toContain(rate === ntsc ? 'FCM: DROP FRAME' : 'FCM: NON-DROP FRAME');
    }
  });

  it('writes one-line comments, unique reel names and no audio for silent media', () => {
    const text = edl(edit({ num: 25, den: 1 }));
    expect(text).toContain('001  GRSSE1   AA/V  C');
    expect(text).toContain('002  GRSSE2B  V     C');
    expect(text).toContain('* FROM CLIP NAME: größe 1.mp4\n');
    expect(text).toContain('* LOC: 01:00:00:10 GREEN   player kills <opponent> | "x"\n');
  });

  it('writes markers for DaVinci Resolve', () => {
    expect(resolveEdl(edit({ num: 25, den: 1 }))).toContain(
      '001  001      V     C        01:00:00:10 01:00:00:11 01:00:00:10 01:00:00:11  \n |C:ResolveColorGreen |M:player kills <opponent> / "x" |D:1\n',
    );
    expect(resolveCsv(edit({ num: 25, den: 1 }))).toBe(
      'No.,Name,Start,End,Duration,Color,Notes\r\n1,"player kills <opponent> | ""x""",01:00:00:10,01:00:00:11,00:00:00:01,Green,because & so\r\n',
    );
  });
});

describe('other speeds', () => {
  // The second clip shows 50 frames of the recording from 17 982 at half speed, as 100 frames of the timeline.
  it('are time warps in OpenTimelineIO, of as many frames as the timeline shows', () => {
    const [, slow] = JSON.parse(otio(edit({ num: 25, den: 1 }))).tracks.children[0].children;
    expect(slow.effects).toMatchObject([{ OTIO_SCHEMA: 'LinearTimeWarp.1', time_scalar: 0.5 }]);
    expect([slow.source_range.start_time.value, slow.source_range.duration.value]).toEqual([17_982, 100]);
  });

  it('are time maps in FCPXML, motion effects in an EDL', () => {
    expect(fcpxml(edit({ num: 25, den: 1 }))).toContain(
      '<timeMap><timept time="0s" value="0s" interp="linear"/><timept time="3200s" value="1600s" interp="linear"/></timeMap>',
    );
    // 17 982 frames at 25 a second are 719.28 s; at half speed twice as long.
    expect(fcpxml(edit({ num: 25, den: 1 }))).toContain('start="35964/25s" duration="4s"');
    expect(edl(edit({ num: 25, den: 1 }))).toContain('M2   GRSSE2B        012.5                00:11:59:07\n');
  });

  it('count the frames of the slow recording in MLT and xmeml', () => {
    expect(mlt(edit({ num: 25, den: 1 }))).toMatch(
      /<property name="resource">0\.5:.*größe 2[^]*<entry producer="producer1x0_5" in="35964" out="36063"\/>/,
    );
    const text = xmeml(edit({ num: 25, den: 1 }));
    expect(text).toContain('<in>35964</in><out>36064</out>');
    expect(text).toMatch(/<parameterid>speed<\/parameterid>.*<value>50<\/value>/);
  });

  it('divide a scene into clips with the frames of its shots', () => {
    const header = { media: { name: 'a.mp4', duration: 90, width: 64, height: 36, frameRate: { num: 30, den: 1 } } };
    const event = { t: 2.2, end: 2.2, text: 'player wins', statement: { subject: 'player', action: 'win' } };
    const events = [{ event, score: 1, reasons: [] }];
    const scenes = [{ source: 0, start: 1, end: 4, events, kind: 'k', because: '' }] as unknown as Scene[];
    const shots = [
      { start: 1, end: 2, speed: 1 },
      { start: 2, end: 3, speed: 0.5 },
      { start: 3, end: 4, speed: 1 },
    ];
    const sources = [{ header, events: [] }] as unknown as Source[];
    const dictionary = new Dictionary([], [], []);
    const { clips, duration } = sceneTimeline(scenes, sources, { title: '', dictionary, shots: [shots] });
    expect(clips.map(({ source, sourceLength, at, length }) => [source, sourceLength, at, length])).toEqual([
      [30, 30, 0, 30],
      [60, 30, 30, 60],
      [90, 30, 90, 30],
    ]);
    expect(duration).toBe(120);
    // 2.2 s is 6 frames into the slow clip: 12 frames of the timeline.
    expect(clips.map(({ markers }) => markers.map(({ source, at }) => [source, at]))).toEqual([[], [[66, 42]], []]);
  });
});

describe('paths', () => {
  it('are escaped URLs, absolute or relative to the exported file', () => {
    const absolute = 'file:///clips/gr%C3%B6%C3%9Fe%201.mp4';
    expect(otio(edit(ntsc))).toContain(`"target_url": "${absolute}"`);
    expect(fcpxml(edit(ntsc))).toContain(`src="${absolute}"`);
    expect(xmeml(edit(ntsc))).toContain('<pathurl>file://localhost/clips/gr%C3%B6%C3%9Fe%201.mp4</pathurl>');
    expect(otio(edit(ntsc), '/clips/sub')).toContain('"target_url": "../gr%C3%B6%C3%9Fe%201.mp4"');
    expect(mlt(edit(ntsc), '/clips')).toContain('<property name="resource">sub/größe 2 – b.mp4</property>');
  });
});

describe('fcpxml', () => {
  it('writes every time as a fraction of whole frames', () => {
    const times = [...fcpxml(edit(ntsc)).matchAll(/(?:offset|start|duration|frameDuration)="(\d+)(?:\/(\d+))?s"/g)];
    expect(times.length).toBeGreaterThan(10);
    for (const [, num, den] of times) expect((Number(num) * 30_000) % (1001 * Number(den ?? 1))).toBe(0);
    expect(fcpxml(edit(ntsc))).toContain('offset="1001/1200s" start="2999997/2500s"');
  });
});

describe('otio', () => {
  it('has the exact rate, both tracks and markers in recording time', () => {
    const timeline = JSON.parse(otio(edit(ntsc)));
    const [video, audio] = timeline.tracks.children;
    expect([video.kind, audio.kind]).toEqual(['Video', 'Audio']);
    expect(video.children[0].source_range.start_time).toEqual({
      OTIO_SCHEMA: 'RationalTime.1',
      rate: 30_000 / 1001,
      value: 1790,
    });
    expect(video.children[0].markers[0].marked_range.start_time.value).toBe(1800);
    expect(video.children[0].markers[0].color).toBe('GREEN');
    expect(audio.children[0].markers).toEqual([]);
  });
});

/** Names of elements that are closed in the wrong order or not at all. */
function unbalanced(tags: readonly RegExpMatchArray[]): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, close, name, empty] of tags) {
    if (!close && !empty) open.push(name!);
    else if (close && open.pop() !== name) wrong.push(name!);
  }
  return [...wrong, ...open];
}

describe('xml', () => {
  it('escapes names and closes every element', () => {
    for (const text of [fcpxml(edit(ntsc)), xmeml(edit(ntsc)), mlt(edit(ntsc))]) {
      const tags = [...text.matchAll(/<(\/?)([A-Za-z][\w:-]*)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/g)];
      expect(unbalanced(tags)).toEqual([]);
      const left = text.replaceAll(
        /<\/?[A-Za-z][\w:-]*(?:\s+[\w:-]+="[^"<]*")*\s*\/?>|<\?xml[^>]*\?>|<!DOCTYPE \w+>/g,
        '',
      );
      expect(left).not.toMatch(/[<>]/);
      expect(text).toContain('&lt;opponent&gt;');
    }
  });
});
