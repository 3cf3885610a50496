// To be imported before the program: the imports among its own files name a file each, so that where they lead is plain. Left to itself, Node
// looks on the disk for every one what is there, whether it is a link and to which package it belongs, which is half of what loading them costs.
import { registerHooks } from 'node:module';

const own = new URL('.', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    if (!specifier.startsWith('.') || !parentURL?.startsWith(own)) return next(specifier, context);
    const { href: url } = new URL(specifier, parentURL);
    return { url, format: url.endsWith('.ts') ? 'module-typescript' : 'module', shortCircuit: true };
  },
});
