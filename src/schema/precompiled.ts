/** A validator that a build has generated; `this` collects the strings found under `format` keywords. */
export type PrecompiledValidator = (this: { readonly formats: FormatMatch[] }, value: unknown) => boolean;

/** A string in the value under a `format` keyword: the format, the string and its JSON pointer. */
export type FormatMatch = readonly [format: string, text: string, pointer: string];

/**
 * Validators of the schemas with an `$id`, by that id. Empty in the checkout, where schemas are compiled on first use; the
 * build replaces this module by the one that `tools/validators.ts` generates, so that the package starts without a compiler.
 */
export const precompiled: ReadonlyMap<string, PrecompiledValidator> = new Map();
