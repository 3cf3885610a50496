import type { Rational } from '../../time.ts';
import { markerStyles, mediaUrl, type Timeline, type TimelineClip } from './timeline.ts';

/**
 * Writes OpenTimelineIO JSON (schemas of OpenTimelineIO 0.17): a video and an audio track, markers on the video clips, other
 * speeds as time warps.
 */
export function otio(edit: Timeline, relativeTo?: string): string {
  const tracks = [makeTrack(edit, 'Video', relativeTo)];
  if (edit.media.some(({ hasSound }) => hasSound)) tracks.push(makeTrack(edit, 'Audio', relativeTo));
  const timeline = {
    OTIO_SCHEMA: 'Timeline.1',
    metadata: {},
    name: edit.title,
    global_start_time: rationalTime(0, edit.rate),
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

function makeTrack(edit: Timeline, kind: 'Video' | 'Audio', relativeTo: string | undefined): object {
  return {
    OTIO_SCHEMA: 'Track.1',
    metadata: {},
    name: kind,
    source_range: null,
    effects: [],
    markers: [],
    enabled: true,
    children: edit.clips.map((clip) => makeClip(edit, clip, kind, relativeTo)),
    kind,
  };
}

function makeClip(edit: Timeline, clip: TimelineClip, kind: 'Video' | 'Audio', relativeTo: string | undefined): object {
  const media = edit.media[clip.media]!;
  return {
    OTIO_SCHEMA: 'Clip.2',
    metadata: clip.note === '' ? {} : { playbyplay: { because: clip.note } },
    name: clip.name,
    // Its duration is that in the timeline, which the effect fills with as much of the recording as the speed needs.
    source_range: timeRange(clip.source, clip.length, edit.rate),
    effects: clip.speed === 1 ? [] : [linearTimeWarp(clip.speed)],
    markers:
      kind === 'Audio'
        ? []
        : clip.markers.map((marker) => ({
            OTIO_SCHEMA: 'Marker.2',
            metadata: { playbyplay: { class: marker.class } },
            name: marker.text,
            color: markerStyles[marker.class].otio,
            marked_range: timeRange(marker.source, 0, edit.rate),
            comment: '',
          })),
    enabled: true,
    media_references: {
      DEFAULT_MEDIA: {
        OTIO_SCHEMA: 'ExternalReference.1',
        metadata: {},
        name: media.name,
        available_range: timeRange(0, media.duration, edit.rate),
        available_image_bounds: null,
        target_url: mediaUrl(media, relativeTo),
      },
    },
    active_media_reference_key: 'DEFAULT_MEDIA',
  };
}

function linearTimeWarp(speed: number): object {
  return {
    OTIO_SCHEMA: 'LinearTimeWarp.1',
    metadata: {},
    name: 'speed',
    effect_name: 'LinearTimeWarp',
    enabled: true,
    time_scalar: speed,
  };
}

function timeRange(start: number, length: number, rate: Rational): object {
  return { OTIO_SCHEMA: 'TimeRange.1', duration: rationalTime(length, rate), start_time: rationalTime(start, rate) };
}

function rationalTime(value: number, rate: Rational): object {
  return { OTIO_SCHEMA: 'RationalTime.1', rate: rate.num / rate.den, value };
}
