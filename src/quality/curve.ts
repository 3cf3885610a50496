/** A function given by points, x rising. */
export type CurvePoints = readonly (readonly [x: number, y: number])[];

/**
 * Monotone cubic through the points (Fritsch–Butland tangents, the "PCHIP" of the numerical libraries): between two
 * points it never leaves the range of their values. Outside the points it keeps the value of the nearest one.
 */
export function monotoneCubic(points: CurvePoints): (x: number) => number {
  const n = points.length;
  if (n < 2) throw new RangeError('a curve needs two points or more');
  for (let i = 1; i < n; i++) {
    if (!(points[i]![0] > points[i - 1]![0])) throw new RangeError('the points of a curve must rise in x');
  }
  const width = (i: number) => points[i + 1]![0] - points[i]![0];
  const slope = (i: number) => (points[i + 1]![1] - points[i]![1]) / width(i);
  const tangents = points.map((_, i) => {
    if (n === 2) return slope(0);
    if (i === 0) return endTangent(width(0), width(1), slope(0), slope(1));
    if (i === n - 1) return endTangent(width(n - 2), width(n - 3), slope(n - 2), slope(n - 3));
    const before = slope(i - 1);
    const after = slope(i);
    if (before * after <= 0) return 0;
    const a = 2 * width(i) + width(i - 1);
    const b = width(i) + 2 * width(i - 1);
    return (a + b) / (a / before + b / after);
  });
  return (x) => {
    if (!(x > points[0]![0])) return points[0]![1];
    if (x >= points[n - 1]![0]) return points[n - 1]![1];
    let i = 0;
    while (x >= points[i + 1]![0]) i++;
    const h = width(i);
    const s = (x - points[i]![0]) / h;
    const r = 1 - s;
    return (
      points[i]![1] * (1 + 2 * s) * r * r +
      tangents[i]! * h * s * r * r +
      points[i + 1]![1] * s * s * (3 - 2 * s) -
      tangents[i + 1]! * h * s * s * r
    );
  };
}

/** Three-point estimate at an end, limited so that the curve stays monotone there. */
function endTangent(h0: number, h1: number, d0: number, d1: number): number {
  const tangent = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (Math.sign(tangent) !== Math.sign(d0)) return 0;
  if (Math.sign(d0) !== Math.sign(d1) && Math.abs(tangent) > 3 * Math.abs(d0)) return 3 * d0;
  return tangent;
}
