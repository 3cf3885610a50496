// Everything that is checked without running the program: types, lint and format.
import { CHECKS, runAll } from './steps.ts';

process.exitCode = runAll(CHECKS);
