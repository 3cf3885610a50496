import { once } from 'node:events';
import { openBrowser } from '../../studio/open-browser.ts';
import { locatePages } from '../../studio/pages.ts';
import { startStudio } from '../../studio/server/studio-server.ts';
import { Workspace } from '../../studio/workspace.ts';
import type { RunCommand } from '../command.ts';
import type * as specs from '../specs.ts';

/** `playbyplay studio [recording or folder]…` */
export const studio: RunCommand<typeof specs.studio> = async (io, options, ...paths) => {
  const { host, port, password = process.env['PLAYBYPLAY_PASSWORD'], json, 'no-open': isQuiet } = options;
  const workspace = await Workspace.open(paths);
  const pages = await locatePages();
  await using running = await startStudio({ workspace, pages, host, port, password });
  const link = running.createLink();
  if (json) io.stdout.write(`${JSON.stringify({ address: running.address, link })}\n`);
  else io.stdout.write(`${link}\n`);
  io.stderr.write(
    'The address opens one browser session. Stop the studio with Ctrl-C.\n' +
      (host === undefined
        ? ''
        : 'Other machines can reach this address, and what is sent is not encrypted: use a network that you trust, a VPN, or an SSH tunnel without --host. Further browsers sign in with the password.\n'),
  );
  if (!isQuiet && !(await openBrowser(link))) io.stderr.write('No browser was found: open the address yourself.\n');
  // The thread's only other work is answering requests.
  const alive = setInterval(() => undefined, 2 ** 30);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  clearInterval(alive);
  return 0;
};
