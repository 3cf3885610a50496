/**
 * Types for plug-ins: detector kinds of your own. A plug-in exports `kind` or `kinds`; see docs/games/plugins.md.
 *
 * @example
 * import type { FrameDetectorKind } from 'playbyplay/detector';
 *
 * export const kind: FrameDetectorKind = {
 *   input: 'frame',
 *   name: 'brightness',
 *   description: 'The mean gray level of a region, from 0 to 255.',
 *   schema: { type: 'object', required: ['region'], properties: {} },
 *   async open() {
 *     return {
 *       async read(view) {
 *         const { data } = await view.prepared();
 *         const sum = data.reduce((total, level) => total + level, 0);
 *         return { state: 'seen', value: Math.round(sum / data.length), confidence: 1 };
 *       },
 *       [Symbol.dispose]() {},
 *     };
 *   },
 * };
 *
 * @module
 */
export type {
  Assets,
  AudioListenerKind,
  CharacterSize,
  Comparer,
  Deferred,
  Detector,
  DetectorKind,
  DetectorOptions,
  FrameComparerKind,
  FrameDetectorKind,
  AudioObservation,
  JsonSchema,
  Landmark,
  Listener,
  Observation,
  Placement,
  PreparedCrop,
  Reading,
  RecordFollowerKind,
  Requirement,
  Sketch,
  SoundFrame,
  StreamEntry,
  View,
} from './kind.ts';
export type { Cue } from '../cues/cue.ts';
export type { Tracker } from '../cues/tracker.ts';
export type { Rect, Size } from '../geometry.ts';
export type { ColorEncoding, Picture, Plane } from '../media/picture.ts';
export { PlaybyplayError } from '../errors.ts';
