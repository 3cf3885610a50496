import { shownTheme } from '../theme.ts';

const colors = new Map<string, string>();
let colorsOf: string | undefined;

/** The value of a colour token in the theme that is shown, for canvases. */
export function tokenColor(name: string): string {
  if (shownTheme.value !== colorsOf) {
    colors.clear();
    colorsOf = shownTheme.value;
  }
  let color = colors.get(name);
  if (color === undefined) colors.set(name, (color = resolveToken(name)));
  return color;
}

function resolveToken(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * Prepares a canvas for drawing in CSS pixels.
 *
 * @returns The cleared drawing area; undefined while the canvas has no size.
 */
export function prepareCanvas(
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  if (!canvas || width <= 0 || height <= 0) return undefined;
  const scale = devicePixelRatio;
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const context = canvas.getContext('2d')!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
