/**
 * Bits per pixel that an H.264 stream of game pictures spends at a quantization parameter: six steps of QP halve the
 * rate (the quantizer's step doubles), anchored at 0.1 bits per pixel for QP 28 at 1080 lines; larger pictures of the
 * same scene need fewer bits a pixel (fourth root of the area). An estimate for logs that tell no bitrate.
 */
export function bitsPerPixelOfQp(qp: number, pixels: number): number {
  return 0.1 * 2 ** ((28 - qp) / 6) * ((1920 * 1080) / pixels) ** 0.25;
}
