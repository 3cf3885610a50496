// Assembles the WebAssembly kernels into modules that hold them as text, so that they are found wherever the program runs:
//   node tools/wasm/build.ts
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';

const root = `${import.meta.dirname}/../..`;

/** Source and generated module of each kernel. */
export const kernels = [
  { source: 'tools/wasm/filter.wat', module: 'src/regions/filter-wasm.ts', name: 'FILTER_WASM' },
  { source: 'tools/wasm/rgb.wat', module: 'src/regions/rgb-wasm.ts', name: 'RGB_WASM' },
  { source: 'tools/wasm/match.wat', module: 'src/detectors/icon/match-wasm.ts', name: 'MATCH_WASM' },
  { source: 'tools/wasm/box.wat', module: 'src/detectors/text/box-wasm.ts', name: 'BOX_WASM' },
  { source: 'tools/wasm/glyph.wat', module: 'src/detectors/text/glyph-wasm.ts', name: 'GLYPH_WASM' },
] as const;

/** The generated module's text. */
export async function assemble({ source, name }: (typeof kernels)[number]): Promise<string> {
  const { parseWat } = await wabt();
  const parsed = parseWat(source, Uint8Array.from(readFileSync(`${root}/${source}`)), { simd: true });
  parsed.validate();
  const { buffer } = parsed.toBinary({});
  const text = Buffer.from(buffer)
    .toString('base64')
    .replace(/.{1,120}/g, "  '$&' +\n");
  return `/** Assembled from ${source} by tools/wasm/build.ts; do not edit. Base64. */\nexport const ${name} =\n${text.slice(0, -3)};\n`;
}

if (import.meta.main) {
  for (const kernel of kernels) writeFileSync(`${root}/${kernel.module}`, await assemble(kernel));
}
