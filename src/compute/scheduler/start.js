// Where a thread of ThreadDevice begins: loads the module that it is to run.
import { workerData } from 'node:worker_threads';

await import('../../own-modules.js');
await import(workerData.module);
