import { dropsFrames, mediaUrl, rationalSeconds, retimed, type Timeline, type TimelineClip, xml } from './timeline.ts';

/** Writes FCPXML 1.10 for Final Cut Pro and DaVinci Resolve: assets and one sequence of clips with markers and speeds. */
export function fcpxml(edit: Timeline, relativeTo?: string): string {
  const { rate } = edit;
  const used = [...new Set(edit.clips.map((clip) => clip.media))].toSorted((a, b) => a - b);
  const assets = used.map((index) => {
    const media = edit.media[index]!;
    const sound = media.hasSound ? ' hasAudio="1" audioSources="1" audioChannels="2" audioRate="48000"' : '';
    return `    <asset id="r${index + 2}" name="${xml(media.name)}" start="0s" duration="${rationalSeconds(media.duration, rate)}" hasVideo="1" videoSources="1" format="r1"${sound}>
      <media-rep kind="original-media" src="${xml(mediaUrl(media, relativeTo))}"/>
    </asset>`;
  });
  const tcFormat = dropsFrames(rate) ? 'DF' : 'NDF';
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE fcpxml>
<fcpxml version="1.10">
  <resources>
    <format id="r1" frameDuration="${rationalSeconds(1, rate)}" width="${edit.width}" height="${edit.height}" colorSpace="1-1-1 (Rec. 709)"/>
${assets.join('\n')}
  </resources>
  <library>
    <event name="${xml(edit.title)}">
      <project name="${xml(edit.title)}">
        <sequence format="r1" duration="${rationalSeconds(edit.duration, rate)}" tcStart="0s" tcFormat="${tcFormat}" audioLayout="stereo" audioRate="48k">
          <spine>
${edit.clips.map((clip) => clipElement(edit, clip, tcFormat)).join('\n')}
          </spine>
        </sequence>
      </project>
    </event>
  </library>
</fcpxml>
`;
}

function clipElement(edit: Timeline, clip: TimelineClip, tcFormat: string): string {
  const time = (frames: number) => rationalSeconds(frames, edit.rate);
  const note = clip.note === '' ? '' : `\n              <note>${xml(clip.note)}</note>`;
  // With other speeds, the time of a clip is that of its whole recording at this speed.
  const { duration } = edit.media[clip.media]!;
  const timeMap =
    clip.speed === 1
      ? ''
      : `\n              <timeMap><timept time="0s" value="0s" interp="linear"/><timept time="${time(retimed(duration, clip))}" value="${time(duration)}" interp="linear"/></timeMap>`;
  // Marker times are in the clip's own time.
  const markers = clip.markers.map(
    (marker) =>
      `\n              <marker start="${time(retimed(marker.source, clip))}" duration="${time(1)}" value="${xml(marker.text)}" note="${marker.class}"/>`,
  );
  return `            <asset-clip ref="r${clip.media + 2}" name="${xml(clip.name)}" offset="${time(clip.at)}" start="${time(retimed(clip.source, clip))}" duration="${time(clip.length)}" format="r1" tcFormat="${tcFormat}" audioRole="dialogue">${note}${timeMap}${markers.join('')}
            </asset-clip>`;
}
