// To be imported before the program: the imports among its own files, and among those of the media library, name a file each, so that
// where they lead is plain. Left to itself, Node looks on the disk for every one what is there, whether it is a link and to which package it
// belongs, which is half of what loading them costs.
import { registerHooks } from 'node:module';

const own = new URL('.', import.meta.url).href;
const media = '/node_modules/node-av/dist/';

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '', conditions } = context;
    const plain = /^\.\.?\/.*\.[jt]s$/.test(specifier) && conditions.includes('import');
    if (!plain || !(parentURL.startsWith(own) || parentURL.includes(media))) return next(specifier, context);
    const { href: url } = new URL(specifier, parentURL);
    return { url, format: url.endsWith('.ts') ? 'module-typescript' : 'module', shortCircuit: true };
  },
});
