import { sizeAlong } from './pass.ts';
import { reachOfFirst } from './passes.ts';
import { type Analysis, type Axis, windowOn } from './units.ts';
import { outputSize } from './window.ts';

/** Sources are shortened by multiples of this, so that strides meet the end as they did. */
const MULTIPLE = 32;

/**
 * The same chain on a shorter picture, if that saves much: what a pass takes does not depend on how many there are, and
 * planning on all rows of a large picture takes long.
 */
export function shortened(analysis: Analysis, axis: Axis, step: number): Analysis | undefined {
  const sizes = analysis.sources.map((name) => sizeAlong(analysis, name, axis));
  const common = sizes.reduce(greatestDivisor);
  const longest = Math.max(...sizes) / common;
  const enough = 2 * reachOfFirst(analysis, axis) + 6 * step;
  const cut = Math.floor((longest * common - enough) / (MULTIPLE * longest)) * MULTIPLE;
  if (cut < common / 3) return undefined;
  const shapes = new Map(analysis.shapes);
  const resize = (name: string, size: number) => {
    const shape = shapes.get(name)!;
    shapes.set(name, axis === 'rows' ? { ...shape, height: size } : { ...shape, width: size });
  };
  for (const [i, name] of analysis.sources.entries()) resize(name, sizes[i]! - (cut * sizes[i]!) / common);
  for (const unit of analysis.units) {
    const [main] = unit.inputs as [string];
    const shape = shapes.get(main)!;
    const size = outputSize(windowOn(unit, main, axis), axis === 'rows' ? shape.height : shape.width);
    for (const name of unit.outputs) resize(name, size);
  }
  return { ...analysis, shapes };
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
