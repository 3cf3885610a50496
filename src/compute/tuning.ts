import { setFlagsFromString } from 'node:v8';

/** Whether this is the Node whose V8 the flags were tried with; another may not know one, and would say so. */
const KNOWN = process.versions.node.startsWith('24.');

/** Sets flags of V8 that change how fast it works, never what it computes. */
export function tune(...flags: readonly string[]): void {
  if (KNOWN) for (const flag of flags) setFlagsFromString(flag);
}
