import { clockTime, gcd, markerStyles, mediaPath, retimed, type Timeline, type TimelineClip, xml } from './timeline.ts';

/**
 * Writes MLT XML for Shotcut, Kdenlive and melt: a playlist at the exact rate, markers in the forms of Shotcut and
 * Kdenlive.
 */
export function mlt(edit: Timeline, relativeTo?: string): string {
  const used = [...new Set(edit.clips.map((clip) => clip.media))].toSorted((a, b) => a - b);
  const divisor = gcd(edit.width, edit.height);
  const producers = used.map((index) => {
    const media = edit.media[index]!;
    return `  <producer id="producer${index}" in="0" out="${media.duration - 1}">
    <property name="length">${media.duration}</property>
    <property name="resource">${xml(mediaPath(media, relativeTo))}</property>
    <property name="mlt_service">avformat-novalidate</property>
    <property name="seekable">1</property>
    <property name="shotcut:caption">${xml(media.name)}</property>
  </producer>`;
  });
  // A recording at another speed is a producer of its own.
  const retimedClips = new Map(
    edit.clips.filter(({ speed }) => speed !== 1).map((clip) => [producerId(clip), clip] as const),
  );
  for (const [id, clip] of retimedClips) {
    const media = edit.media[clip.media]!;
    const length = retimed(media.duration, clip);
    const path = xml(mediaPath(media, relativeTo));
    producers.push(`  <producer id="${id}" in="0" out="${length - 1}">
    <property name="length">${length}</property>
    <property name="resource">${clip.speed}:${path}</property>
    <property name="mlt_service">timewarp</property>
    <property name="warp_speed">${clip.speed}</property>
    <property name="warp_resource">${path}</property>
    <property name="warp_pitch">1</property>
    <property name="seekable">1</property>
    <property name="shotcut:caption">${xml(media.name)} (${clip.speed}×)</property>
  </producer>`);
  }
  const entries = edit.clips.map((clip) => {
    const first = retimed(clip.source, clip);
    return `    <entry producer="${producerId(clip)}" in="${first}" out="${first + clip.length - 1}"/>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<mlt LC_NUMERIC="C" producer="main" title="${xml(edit.title)}">
  <profile description="custom" width="${edit.width}" height="${edit.height}" progressive="1" sample_aspect_num="1" sample_aspect_den="1" display_aspect_num="${edit.width / divisor}" display_aspect_den="${edit.height / divisor}" frame_rate_num="${edit.rate.num}" frame_rate_den="${edit.rate.den}" colorspace="709"/>
${producers.join('\n')}
  <playlist id="playlist0">
    <property name="shotcut:video">1</property>
    <property name="shotcut:name">V1</property>
${entries.join('\n')}
  </playlist>
  <tractor id="main" title="${xml(edit.title)}" in="0" out="${edit.duration - 1}">
    <property name="shotcut">1</property>
    <property name="kdenlive:docproperties.guides">${xml(kdenliveGuides(edit))}</property>
${markers(edit)}
    <track producer="playlist0"/>
  </tractor>
</mlt>
`;
}

function producerId({ media, speed }: TimelineClip): string {
  return speed === 1 ? `producer${media}` : `producer${media}x${String(speed).replace('.', '_')}`;
}

function markers(edit: Timeline): string {
  const list = edit.clips.flatMap((clip) => clip.markers);
  const items = list.map(
    (marker, index) => `      <properties name="${index}">
        <property name="text">${xml(marker.text)}</property>
        <property name="start">${clock(edit, marker.at)}</property>
        <property name="end">${clock(edit, marker.at)}</property>
        <property name="color">${markerStyles[marker.class].mlt}</property>
      </properties>`,
  );
  return `    <properties name="shotcut:markers">\n${items.join('\n')}\n    </properties>`;
}

function kdenliveGuides(edit: Timeline): string {
  const list = edit.clips.flatMap((clip) => clip.markers);
  return JSON.stringify(
    list.map((marker) => ({ comment: marker.text, pos: marker.at, type: markerStyles[marker.class].kdenlive })),
  );
}

/** `hh:mm:ss.mmm`, rounded up within the frame so that it does not fall on the frame before. */
function clock(edit: Timeline, frame: number): string {
  return clockTime(Math.ceil((frame * edit.rate.den * 1000) / edit.rate.num - 1e-6), '.');
}
