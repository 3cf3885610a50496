// Flags of V8 for whoever looks at pictures: see media/decode/collect.ts. Plain JavaScript, for they are set before anything else is loaded, too.

/** @type {readonly string[]} */
export const READING = [
  '--heap-growing-percent=3000',
  // Without it, the bytes of pictures alone, which are none of its own, let V8 mark the heap.
  '--external-memory-accounted-in-global-limit',
];
