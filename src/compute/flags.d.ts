/** Flags of V8 for whoever looks at pictures. */
export declare const READING: readonly string[];
