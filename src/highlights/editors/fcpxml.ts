import { dropsFrames, mediaUrl, rationalSeconds, type Timeline, type TimelineClip, xml } from './timeline.ts';

/** Writes FCPXML 1.10 for Final Cut Pro and DaVinci Resolve: assets and one sequence of clips with markers. */
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
  // Marker times are in the recording's own time.
  const markers = clip.markers.map(
    (marker) =>
      `\n              <marker start="${time(marker.source)}" duration="${time(1)}" value="${xml(marker.text)}" note="${marker.class}"/>`,
  );
  return `            <asset-clip ref="r${clip.media + 2}" name="${xml(clip.name)}" offset="${time(clip.at)}" start="${time(clip.source)}" duration="${time(clip.length)}" format="r1" tcFormat="${tcFormat}" audioRole="dialogue">${note}${markers.join('')}
            </asset-clip>`;
}
