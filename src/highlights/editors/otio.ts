import type { Rational } from '../../time.ts';
import { mediaUrl, type Edit, type EditClip, type MarkerClass } from './edit.ts';

const colors: Record<MarkerClass, string> = {
  deed: 'GREEN',
  downfall: 'RED',
  gain: 'YELLOW',
  change: 'BLUE',
  other: 'PURPLE',
};

/** OpenTimelineIO JSON (schemas as of OpenTimelineIO 0.17): one video track, one sound track, markers on the clips. */
export function otio(edit: Edit, relativeTo?: string): string {
  const tracks = [track(edit, 'Video', relativeTo)];
  if (edit.media.some(({ hasSound }) => hasSound)) tracks.push(track(edit, 'Audio', relativeTo));
  const timeline = {
    OTIO_SCHEMA: 'Timeline.1',
    metadata: {},
    name: edit.title,
    global_start_time: time(0, edit.rate),
    tracks: {
      OTIO_SCHEMA: 'Stack.1',
      metadata: {},
      name: 'tracks',
      source_range: null,
      effects: [],
      markers: [],
      enabled: true,
      children: tracks,
    },
  };
  return `${JSON.stringify(timeline, undefined, 2)}\n`;
}

function track(edit: Edit, kind: 'Video' | 'Audio', relativeTo: string | undefined): object {
  return {
    OTIO_SCHEMA: 'Track.1',
    metadata: {},
    name: kind,
    source_range: null,
    effects: [],
    markers: [],
    enabled: true,
    children: edit.clips.map((clip) => clipOf(edit, clip, kind, relativeTo)),
    kind,
  };
}

function clipOf(edit: Edit, clip: EditClip, kind: 'Video' | 'Audio', relativeTo: string | undefined): object {
  const media = edit.media[clip.media]!;
  return {
    OTIO_SCHEMA: 'Clip.2',
    metadata: clip.note === '' ? {} : { playbyplay: { because: clip.note } },
    name: clip.name,
    source_range: range(clip.source, clip.length, edit.rate),
    effects: [],
    markers:
      kind === 'Audio'
        ? []
        : clip.markers.map((marker) => ({
            OTIO_SCHEMA: 'Marker.2',
            metadata: { playbyplay: { class: marker.class } },
            name: marker.text,
            color: colors[marker.class],
            marked_range: range(marker.source, 0, edit.rate),
            comment: '',
          })),
    enabled: true,
    media_references: {
      DEFAULT_MEDIA: {
        OTIO_SCHEMA: 'ExternalReference.1',
        metadata: {},
        name: media.name,
        available_range: range(0, media.duration, edit.rate),
        available_image_bounds: null,
        target_url: mediaUrl(media, relativeTo),
      },
    },
    active_media_reference_key: 'DEFAULT_MEDIA',
  };
}

function range(start: number, length: number, rate: Rational): object {
  return { OTIO_SCHEMA: 'TimeRange.1', duration: time(length, rate), start_time: time(start, rate) };
}

function time(value: number, rate: Rational): object {
  return { OTIO_SCHEMA: 'RationalTime.1', rate: rate.num / rate.den, value };
}
