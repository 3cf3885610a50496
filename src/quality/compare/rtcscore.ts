/** Input of the video opinion score of the open-source library rtcscore, in its units. */
export interface RtcScoreInput {
  /** Bits per second received. */
  readonly bitrate: number;
  /** Pixels of the window that shows the picture. */
  readonly width: number;
  readonly height: number;
  /** Frames a second shown, and those of the source. */
  readonly fps: number;
  readonly expectedFps: number;
  /** ms. */
  readonly roundTrip: number;
  /** ms that frames wait in the receiver. */
  readonly bufferDelay?: number | undefined;
  /** 1.2 for VP9, 1 for H.264 and VP8. */
  readonly codecFactor?: number | undefined;
}

/**
 * A mean opinion score from 1 to 5 in the manner of rtcscore: logarithmic in the bits per pixel and frame (0.56, 5.36),
 * less 1.9 · ln(expected / shown frames), less 2 for each second of delay (buffer and half of the round trip).
 */
export function rtcScore(input: RtcScoreInput): number {
  if (!(input.fps > 0) || !(input.bitrate > 0)) return 1;
  const bits = ((input.codecFactor ?? 1) * input.bitrate) / (input.width * input.height * input.fps);
  const base = Math.min(5, Math.max(1, 0.56 * Math.log(bits) + 5.36));
  const delay = (input.bufferDelay ?? 0) + input.roundTrip / 2;
  return Math.min(5, Math.max(1, base - 1.9 * Math.log(input.expectedFps / input.fps) - 0.002 * delay));
}
