import { Library } from '../../library/library.ts';
import { serveMcpOverStdio } from '../../server/mcp.ts';
import type { RunCommand } from '../command.ts';
import type * as specs from '../specs.ts';

/** `playbyplay mcp` */
export const mcp: RunCommand<typeof specs.mcp> = async (io, options) => {
  await using library = await Library.open(options.library);
  await serveMcpOverStdio(library, io.signal);
  return 0;
};
