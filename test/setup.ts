// Property tests use random seeds, which a failure prints. In CI the seed is fixed, so that a change alone decides whether a test
// passes. To repeat a failure: SEED=<seed> npm test.
import * as fc from 'fast-check';

const seed = process.env['SEED'] ?? (process.env['CI'] ? '1' : undefined);
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
