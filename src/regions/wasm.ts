/** A function of a WebAssembly kernel, with addresses, counts and factors as tools/wasm documents them. */
export type WasmFunction = (...operands: number[]) => void;

/** Instantiates a kernel of tools/wasm, assembled and encoded in base64, with memory of its own. */
export function instantiateWasm(base64: string): WebAssembly.Exports {
  let module = compiled.get(base64);
  if (!module) {
    module = new WebAssembly.Module(Buffer.from(base64, 'base64'));
    compiled.set(base64, module);
  }
  return new WebAssembly.Instance(module).exports;
}

/** Modules by their code, compiled once a thread. */
const compiled = new Map<string, WebAssembly.Module>();

/** Grows a kernel's memory to at least `bytes`; typed arrays on its former buffer are then detached. */
export function reserveMemory(memory: WebAssembly.Memory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
}
