import { describe, expect, it } from 'vitest';
import { findField, readStream } from './read-stream.ts';
import { follow, kind } from './index.ts';

/** Times and values of all readings. */
function read(text: string, of: 'value' | 'text' = 'value', field?: string): unknown[] {
  const { entries } = readStream(text, 'file');
  const readings = follow({ stream: 's', of, hold: 100, ...(field !== undefined && { field }) }, entries);
  return readings.flatMap(({ t, observation }) => (observation.state === 'seen' ? [[t, observation.value]] : []));
}

function errorOf(text: string): { readonly message: string; readonly hint?: string } {
  try {
    readStream(text, 'run');
  } catch (error) {
    return error as { message: string; hint: string };
  }
  throw new Error('no error was thrown');
}

const points = (xml: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`;

describe('reads a heart rate from', () => {
  it('TCX, as watches and Garmin Connect export it', () => {
    const tcx =
      points(`<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities><Activity Sport="Other">
<Id>2026-11-21T20:00:00.000Z</Id><Lap StartTime="2026-11-21T20:00:00.000Z"><TotalTimeSeconds>2</TotalTimeSeconds><AverageHeartRateBpm><Value>99</Value></AverageHeartRateBpm><Track>
<Trackpoint><Time>2026-11-21T20:00:00.000Z</Time><HeartRateBpm><Value>96</Value></HeartRateBpm></Trackpoint>
<Trackpoint><Time>2026-11-21T20:00:02.000Z</Time><DistanceMeters>1.5</DistanceMeters><HeartRateBpm xsi:type="HeartRateInBeatsPerMinute_t">
<Value>101</Value></HeartRateBpm><Extensions><ns3:TPX><ns3:Speed>0.5</ns3:Speed></ns3:TPX></Extensions></Trackpoint></Track></Lap></Activity></Activities></TrainingCenterDatabase>`);
    expect(read(tcx)).toEqual([
      [0, 96],
      [2, 101],
    ]);
    expect(findField(readStream(tcx, 'x').entries[1]!, 'speed')).toBe('0.5');
  });

  it('GPX with extensions', () => {
    const gpx =
      points(`<gpx version="1.1" creator="StravaGPX"><metadata><time>2026-11-21T20:00:00Z</time></metadata><trk><trkseg>
<trkpt lat="52.5" lon="13.4"><ele>34.2</ele><time>2026-11-21T20:00:00Z</time><extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>88</gpxtpx:hr><gpxtpx:cad>0</gpxtpx:cad></gpxtpx:TrackPointExtension></extensions></trkpt>
<trkpt lat="52.5" lon="13.4"><ele>34.2</ele><time>2026-11-21T20:00:05Z</time><extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>91</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt></trkseg></trk></gpx>`);
    expect(read(gpx)).toEqual([
      [0, 88],
      [5, 91],
    ]);
  });

  it('Apple Health, other measurements by their own name', () => {
    const health = points(`<!DOCTYPE HealthData [
<!ELEMENT HealthData (ExportDate,Me,Record*)>
]>
<HealthData locale="en_GB"><ExportDate value="2026-11-21 21:00:00 +0100"/>
<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" creationDate="2026-11-21 20:00:09 +0100" startDate="2026-11-21 20:00:00 +0100" endDate="2026-11-21 20:00:00 +0100" value="72"/>
<Record type="HKQuantityTypeIdentifierRespiratoryRate" unit="count/min" startDate="2026-11-21 20:00:01 +0100" endDate="2026-11-21 20:00:31 +0100" value="15.5">
<MetadataEntry key="x" value="1"/></Record>
<Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" startDate="2026-11-21 20:00:04 +0100" endDate="2026-11-21 20:00:04 +0100" value="75"/></HealthData>`);
    expect(read(health)).toEqual([
      [0, 72],
      [4, 75],
    ]);
    expect(read(health, 'value', 'RespiratoryRate')).toEqual([[1, 16]]);
  });

  it("Polar's CSV, whose first two lines are about the session", () => {
    const polar = `Name,Sport,Date,Start time,Duration,Total distance (km),Average heart rate (bpm)
A. Player,OTHER_INDOOR,21-11-2026,20:00:00,00:30:00,,101
Sample rate,Time,HR (bpm),Speed (km/h),Pace (min/km),Cadence
1,00:00:00,92,,,
,00:00:01,93,,,
`;
    expect(read(polar)).toEqual([
      [0, 92],
      [1, 93],
    ]);
  });

  it('tables with semicolons, commas in numbers and dates of the day first, and with counts since 1970', () => {
    expect(read('Zeitpunkt;Datum;time;HR\n-;-;21.11.2026 20:00:00,5;80,4\n-;-;21.11.2026 20:00:02;81,6\n')).toEqual([
      [0, 80],
      [1.5, 82],
    ]);
    expect(read('timestamp,heart_rate\n1795291200000,70\n1795291201500,71\n')).toEqual([
      [0, 70],
      [1.5, 71],
    ]);
  });

  it('intervals between heartbeats, a number a line', () => {
    const readings = read(Array.from({ length: 12 }, () => '750').join('\n'));
    expect(readings.slice(0, 2)).toEqual([
      [0.75, 80],
      [1.5, 80],
    ]);
    expect(() => read('750\n800\n')).toThrow(/no record with a time/);
  });
});

describe('reads texts from', () => {
  it('ASS, with commas, styles and breaks, without drawings and comments', () => {
    const ass = `[Script Info]
Title: caster
[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:09.00,Default,,0,0,0,,not this
Dialogue: 0,0:00:01.50,0:00:03.00,Default,Ann,0,0,0,,{\\i1}First blood{\\i0},\\Nwhat a shot
Dialogue: 0,0:00:04.00,0:00:05.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0{\\p0}
`;
    expect(read(ass, 'text')).toEqual([[1.5, 'First blood, what a shot']]);
    expect(readStream(ass, 'x').entries[0]!.fields.speaker).toBe('Ann');
  });

  it('chats: as TwitchDownloader writes them, JSON and text, and as chat-downloader does', () => {
    const json = JSON.stringify({
      streamer: { name: 'somebody', id: 1 },
      video: { chapters: [{ startMilliseconds: 0 }], start: 0, end: 60 },
      comments: [
        {
          created_at: '2026-11-21T20:00:12Z',
          content_offset_seconds: 12,
          commenter: { display_name: 'ann', bio: 'x' },
          message: { bits_spent: 0, body: 'gg', fragments: [{ text: 'gg' }] },
        },
        {
          created_at: '2026-11-21T20:00:15Z',
          content_offset_seconds: 15,
          commenter: { display_name: 'bob' },
          message: { body: 'wp' },
        },
      ],
    });
    const both = [
      [12, 'gg'],
      [15, 'wp'],
    ];
    expect(read(json, 'text')).toEqual(both);
    expect(read('[0:00:12] ann: gg\n[0:00:15] bob: wp\n', 'text')).toEqual(both);
    const lines = [
      { message: 'gg', timestamp: 1_795_291_212_000_000, time_in_seconds: 12, author: { name: 'ann' } },
      { message: 'wp', timestamp: 1_795_291_215_000_000, time_in_seconds: 15, author: { name: 'bob' } },
    ];
    expect(read(JSON.stringify(lines), 'text')).toEqual(both);
    expect(read(lines.map((line) => JSON.stringify(line)).join('\n'), 'text')).toEqual(both);
  });

  it('the list of records in an object', () => {
    const text = JSON.stringify({
      tags: ['a', 'b'],
      data: {
        other: [{ x: 1 }],
        events: [
          { t: 1, event: 'goal' },
          { t: 2, event: 'foul' },
        ],
      },
    });
    expect(read(text, 'text')).toEqual([
      [1, 'goal'],
      [2, 'foul'],
    ]);
  });
});

const many = (part: string): string => part.repeat(100_000);
const shown = (words: string): string => `00:00:01,000 --> 00:00:02,000\n${words}goal`;

it('each record that changes a number is a `changed` cue', async () => {
  const spec = { kind: 'stream', stream: 's', of: 'value' } as const;
  const tracker = await kind.track!('pulse', spec, 0.1, { read: () => Promise.reject(new Error('no assets')) });
  const { entries } = readStream('t,hr\n0,80\n1,82\n2,85\n', 'hr.csv');
  const cues = kind.follow!(spec, entries).flatMap((reading) => tracker.push({ detector: 'pulse', ...reading }));
  expect(cues.map(({ t, trigger, value }) => [t, trigger, value])).toEqual([
    [0, 'found', 80],
    [1, 'changed', 82],
    [2, 'changed', 85],
    [12, 'lost', undefined],
  ]);
});

describe('an unsupported file is rejected with its format and the supported ones', () => {
  it.each([
    ['\u000E\u0010\uFFFD\u0008\u0000\u0000\u0000\u0000.FIT\u0000', /FIT file/, /TCX, GPX or CSV/],
    ['PK\u0003\u0004xl/worksheets', /packed/, /CSV/],
    ['\u001F\uFFFD\u0008', /gzip/, /gunzip/],
    ['SQLite format 3\u0000', /database/, /CSV/],
    ['\u0000\u0000\u0000\u0018ftypmp42', /no text|UTF-16/, /./],
    ['<?xml version="1.0"?><kml xmlns="x"><Document/></kml>', /<kml>/, /TCX, GPX/],
    ['{"a": 1}', /no record with a time/, /subtitles \(SRT, WebVTT, ASS\)/],
    ['some words\nand more', /no record with a time/, /t, time or timestamp/],
  ])('%#', (text, message, hint) => {
    const error = errorOf(text);
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });

  // Regular expressions that backtrack would take years for these.
  it('if it has more records than fit into memory', () => {
    expect(() => readStream(`t,key\n${'1\n'.repeat(4_000_001)}`, 'keys.csv')).toThrow('more than 4000000 records');
    expect(() => readStream(`[${'{},'.repeat(4_000_001)}]`, 'keys.json')).toThrow('more than 4000000 records');
  });

  it('also if it is malicious', () => {
    const comments = `<?xml version="1.0"?>${'<!-- x -->'.repeat(5000)}`;
    expect(errorOf(comments).message).toMatch(/no record with a time/);
    expect(errorOf(`${comments}<kml/>`).message).toMatch(/<kml>/);
    expect(errorOf(`${'<!DOCTYPE x [<!ELEMENT a>]>'.repeat(50)}<->`).message).toMatch(/no record with a time/);
    for (const part of ['<Trackpoint>', '<Trackpoint ', '<Record ', '<HeartRateBpm '])
      expect(errorOf(`<gpx>${many(part)}`).message).toMatch(/no record with a time/);
    expect(errorOf(`<gpx>${many('<a ')}</trkpt>`).message).toMatch(/no record with a time/);
    expect(errorOf(`${many('\n')}x`).message).toMatch(/no record with a time/);
    expect(read(shown(many('<')), 'text')).toHaveLength(1);
    expect(read(shown('a <i>fine</i> '), 'text')).toEqual([[1, 'a fine goal']]);
  });
});
