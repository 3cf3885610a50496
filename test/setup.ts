// The same random cases in every run, so that a change alone decides whether a test passes; `SEED=7 npm test` tries others.
import * as fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 1) });
