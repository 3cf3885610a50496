// ITU-T G.1072 (01/2020 with Corrigendum 1, 10/2020), "Opinion model predicting gaming quality of experience for cloud
// gaming services": the equations and coefficients of the Recommendation, as its authors published them with the model.

/** Sensitivity of a game to delay and frame loss, or its encoding complexity. */
const sensitivities = ['low', 'medium', 'high'] as const;
/** How strongly a game reacts to delay and frame loss, or how hard it is to encode. */
export type Sensitivity = (typeof sensitivities)[number];

/** Input of the model in its units, with the ranges it was fitted for. */
export interface G1072Input {
  /** Mbit/s, 0.3 to 50. */
  readonly bitrate: number;
  /** Frames a second, 10 to 60. */
  readonly fps: number;
  /** Pixels; 640 × 480 to 1920 × 1080. */
  readonly width: number;
  readonly height: number;
  /** Round trip in ms, 0 to 400. */
  readonly delay: number;
  /** Share of packets lost if losses freeze the picture, 0 to 0.5. */
  readonly loss?: number | undefined;
  /** Share of frames lost in percent if measured; otherwise derived from `loss`. */
  readonly frameLoss?: number | undefined;
  /** Share of packets lost if losses damage the picture. */
  readonly slicingLoss?: number | undefined;
  /** Default mode: everything high. */
  readonly interaction?: Sensitivity | undefined;
  readonly complexity?: Sensitivity | undefined;
}

/** Impairments on the scale of 0 (none) to 100, the transmission rating from them, and the opinion score. */
export interface G1072Score {
  /** 1.3 to 4.64. */
  readonly mos: number;
  /** 0 to 100. */
  readonly rating: number;
  readonly coding: number;
  readonly transmission: number;
  readonly temporal: number;
  readonly inputFrames: number;
  readonly inputDelay: number;
}

type Row = readonly number[];
type Table = Readonly<Record<Sensitivity, Row>>;

const codingTable: Table = {
  low: [
    52.505238, -28.0170325, -2.68405109, 5.46647668, 12.4214486, -28.0191642, 0.215799183, 19.7091683, 3358.30546,
    28.369915, 0.0234972977, 0.00164739513, 0.0895913579,
  ],
  medium: [
    37.9882097, -13.7207634, 8.57836656, 3.2658129, 6.83275916, -127.997288, 0.479594798, 0.612878511, 0.00139396166,
    56.2892863, 0.00475669545, 0.0581327058, 2.38014343,
  ],
  high: [
    47.7463038, -12.0699723, 9.05167501, 3.41919377, 7.62306351, -167.837954, 0.0760332685, 1.57176227, 3.68595885,
    74.0570804, 0.00406000335, 2.58892015e-8, 0.868406685,
  ],
};
const temporalTable: Table = {
  low: [29.13, 0.01344, -1.283, 6.724],
  medium: [47.03, 0.01747, -1.823, 10.7],
  high: [47.03, 0.01747, -1.823, 10.7],
};
const framesTable: Table = {
  low: [23.43, 0.008574, -0.9253, 5.855],
  medium: [54.71, 0.02589, -2.485, 9.306],
  high: [54.71, 0.02589, -2.485, 9.306],
};
const delayTable: Table = {
  low: [47.97, 2.097, 0.01073, -4.567],
  medium: [90, 1.191, 0.009775, -18.73],
  high: [90, 1.191, 0.009775, -18.73],
};

/** Computes the opinion score of a stream. */
export function g1072(input: G1072Input): G1072Score {
  const interaction = input.interaction ?? 'high';
  const complexity = input.complexity ?? 'high';
  const frameLoss = input.frameLoss ?? deriveFrameLoss(input);
  const { coding, transmission } = video(input, codingTable[complexity]);
  const temporal = clamp(byFrames(input.fps, frameLoss, temporalTable[interaction]), 0, 61.29);
  const inputFrames = clamp(byFrames(input.fps, frameLoss, framesTable[interaction]), 0, 68.98);
  const [height, shift, slope, offset] = delayTable[interaction] as [number, number, number, number];
  const inputDelay = clamp(height / (1 + Math.exp(shift - slope * input.delay)) + offset, 0, 68.98);
  const rating = clamp(
    100 - 0.788 * coding - 0.896 * transmission - 0.227 * temporal - 0.625 * inputFrames - 0.848 * inputDelay,
    0,
    100,
  );
  return { mos: toOpinionScore(rating), rating, coding, transmission, temporal, inputFrames, inputDelay };
}

/** Share of frames (percent) that packet losses cost, by bitrate, rate and the time to ask again (Equation 5). */
function deriveFrameLoss({ bitrate, fps, delay, loss = 0 }: G1072Input): number {
  if (delay < 16) return 0;
  const kept = Math.exp(-(0.08526 + 0.00073 * fps + 1.425e-4 * bitrate * fps) * (0.09656 * delay - 1.5) * loss);
  return 100 * (1 - kept);
}

function byFrames(fps: number, frameLoss: number, [a, b, c, d]: Row): number {
  return a! + b! * fps ** 2 + c! * fps + d! * Math.log(frameLoss + 1);
}

function video(input: G1072Input, row: Row): { coding: number; transmission: number } {
  const [a1, a2, a3, a4, c1, c2, c3, t1, t2, t3, t4, t5, t6] = row as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const bits = (input.bitrate * 1e6) / (input.width * input.height * input.fps);
  const content = c1 * Math.exp(c2 * bits) + c3;
  const quantized = Math.min(a1 * Math.exp(a2 * bits) + a3 * content + a4, 65);
  const loss = input.slicingLoss ?? 0;
  const magnitude = ((t3 - quantized) * loss) / (quantized * t4 + loss);
  const effective = t5 * Math.exp(t6 * magnitude) - t5;
  return { coding: clamp(quantized, 0, 78.78), transmission: loss === 0 ? 0 : t1 * Math.log(t2 * effective + 1) };
}

/** Opinion score of a rating. */
function toOpinionScore(rating: number): number {
  const linear = 1.3 + ((4.64 - 1.3) / 100) * rating;
  return clamp(linear + rating * (rating - 60) * (100 - rating) * 7e-6, 1.3, 4.64);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

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
