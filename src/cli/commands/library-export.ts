import { exportLibrary } from '../../library/export.ts';
import { Library } from '../../library/library.ts';
import type { RunCommand } from '../command.ts';
import { formatCount } from '../describe-error.ts';
import { ProgressBar } from '../progress.ts';
import type * as specs from '../specs.ts';

/** `playbyplay library export <folder>` */
export const exportTables: RunCommand<typeof specs.libraryExport> = async (io, options, folder) => {
  const { library: path, csv, parquet, tentative, overwrite, json } = options;
  await using library = await Library.open(path);
  const bar = new ProgressBar(io, 'writing events');
  const result = await exportLibrary(library, folder, {
    formats: [...(parquet || !csv ? (['parquet'] as const) : []), ...(csv ? (['csv'] as const) : [])],
    tentative,
    overwrite,
    signal: io.signal,
    onProgress: ({ done, total }) => bar.show(done, total),
  }).finally(() => bar.clear());
  if (json) io.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    for (const file of result.files) io.stdout.write(`${file}\n`);
    io.stderr.write(`${formatCount(result.events, 'event')} of ${formatCount(result.sessions, 'session')}\n`);
  }
  return 0;
};
