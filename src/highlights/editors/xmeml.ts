import type { Rational } from '../../time.ts';
import {
  dropsFrames,
  mediaUrl,
  nominal,
  retimed,
  timecode,
  type Timeline,
  type TimelineClip,
  xml,
} from './timeline.ts';

/** Writes Final Cut Pro 7 XML (xmeml 5) for Premiere Pro: a sequence of linked video and audio clips with markers. */
export function xmeml(edit: Timeline, relativeTo?: string): string {
  const defined = new Set<number>();
  const item = (clip: TimelineClip, index: number, track: Track): string =>
    clipItem(edit, index, clip, track, { defined, relativeTo });
  const video = edit.clips.map((clip, index) => item(clip, index, { type: 'video', channel: 0 }));
  const audio = [1, 2].map((channel) =>
    edit.clips.map((clip, index) => item(clip, index, { type: 'audio', channel })).join(''),
  );
  const markers = edit.clips.flatMap((clip) => clip.markers);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE xmeml>
<xmeml version="5">
  <sequence id="sequence-1">
    <name>${xml(edit.title)}</name>
    <duration>${edit.duration}</duration>
    ${rateElement(edit.rate)}
    <timecode>${rateElement(edit.rate)}<string>${timecode(0, edit.rate)}</string><frame>0</frame><displayformat>${dropsFrames(edit.rate) ? 'DF' : 'NDF'}</displayformat></timecode>
    <media>
      <video>
        <format><samplecharacteristics>${rateElement(edit.rate)}<width>${edit.width}</width><height>${edit.height}</height><pixelaspectratio>square</pixelaspectratio></samplecharacteristics></format>
        <track>${video.join('')}
        </track>
      </video>
      <audio>
        <numOutputChannels>2</numOutputChannels>
        <format><samplecharacteristics><depth>16</depth><samplerate>48000</samplerate></samplecharacteristics></format>
        <track>${audio[0]!}
        </track>
        <track>${audio[1]!}
        </track>
      </audio>
    </media>${markers
      .map(
        (marker) =>
          `\n    <marker><comment>${marker.class}</comment><name>${xml(marker.text)}</name><in>${marker.at}</in><out>-1</out></marker>`,
      )
      .join('')}
  </sequence>
</xmeml>
`;
}

function rateElement(rate: Rational): string {
  return `<rate><timebase>${nominal(rate)}</timebase><ntsc>${rate.den === 1001 ? 'TRUE' : 'FALSE'}</ntsc></rate>`;
}

/** A video or audio track of the sequence; `channel` is 0 for video. */
interface Track {
  readonly type: 'video' | 'audio';
  readonly channel: number;
}

/** Media written so far: each is described in full at its first occurrence only. */
interface Written {
  readonly defined: Set<number>;
  readonly relativeTo: string | undefined;
}

function clipItem(
  edit: Timeline,
  index: number,
  clip: TimelineClip,
  { type, channel }: Track,
  { defined, relativeTo }: Written,
): string {
  const media = edit.media[clip.media]!;
  if (type === 'audio' && !media.hasSound) return '';
  const id = (kind: string, track: number) => `clip-${index + 1}-${kind}${track > 0 ? track : ''}`;
  const links = [
    ['video', 1],
    ...(media.hasSound
      ? [
          ['audio', 1],
          ['audio', 2],
        ]
      : []),
  ].map(([kind, track]) => {
    const ref = id(String(kind), kind === 'video' ? 0 : Number(track));
    return `<link><linkclipref>${ref}</linkclipref><mediatype>${kind}</mediatype><trackindex>${track}</trackindex><clipindex>${index + 1}</clipindex></link>`;
  });
  const isNew = !defined.has(clip.media);
  defined.add(clip.media);
  const file = isNew ? fileElement(edit, clip.media, relativeTo) : `<file id="file-${clip.media + 1}"/>`;
  const source =
    channel > 0 ? `<sourcetrack><mediatype>audio</mediatype><trackindex>${channel}</trackindex></sourcetrack>` : '';
  // With other speeds, frames count in the whole recording at this speed.
  const first = retimed(clip.source, clip);
  return `
          <clipitem id="${id(type, channel)}">
            <name>${xml(clip.name)}</name>
            <duration>${retimed(media.duration, clip)}</duration>
            ${rateElement(edit.rate)}
            <start>${clip.at}</start><end>${clip.at + clip.length}</end>
            <in>${first}</in><out>${first + clip.length}</out>
            ${file}${source}${clip.speed === 1 ? '' : speedFilter(clip.speed, type)}
            ${links.join('')}
            <comments><mastercomment1>${xml(clip.note)}</mastercomment1></comments>
          </clipitem>`;
}

/** The constant speed of a clip, as Final Cut Pro 7 and Premiere Pro write it. */
function speedFilter(speed: number, type: Track['type']): string {
  const parameters = [
    '<parameter><parameterid>variablespeed</parameterid><name>variablespeed</name><valuemin>0</valuemin><valuemax>1</valuemax><value>0</value></parameter>',
    `<parameter><parameterid>speed</parameterid><name>speed</name><valuemin>-100000</valuemin><valuemax>100000</valuemax><value>${100 * speed}</value></parameter>`,
    '<parameter><parameterid>reverse</parameterid><name>reverse</name><value>FALSE</value></parameter>',
    '<parameter><parameterid>frameblending</parameterid><name>frameblending</name><value>FALSE</value></parameter>',
  ];
  return `
            <filter><effect><name>Time Remap</name><effectid>timeremap</effectid><effectcategory>motion</effectcategory><effecttype>motion</effecttype><mediatype>${type}</mediatype>${parameters.join('')}</effect></filter>`;
}

function fileElement(edit: Timeline, index: number, relativeTo: string | undefined): string {
  const media = edit.media[index]!;
  const sound = media.hasSound
    ? '<audio><samplecharacteristics><depth>16</depth><samplerate>48000</samplerate></samplecharacteristics><channelcount>2</channelcount></audio>'
    : '';
  return `<file id="file-${index + 1}"><name>${xml(media.name)}</name><pathurl>${xml(mediaUrl(media, relativeTo, 'file://localhost'))}</pathurl>${rateElement(edit.rate)}<duration>${media.duration}</duration><media><video><samplecharacteristics>${rateElement(edit.rate)}<width>${media.width}</width><height>${media.height}</height></samplecharacteristics></video>${sound}</media></file>`;
}
