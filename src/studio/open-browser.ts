import { spawn } from 'node:child_process';

/** Opens an address in the user's browser. Returns whether there is a program that does so. */
export async function openBrowser(address: string): Promise<boolean> {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', address]
        : ['xdg-open', address];
  return await new Promise((resolve) => {
    const child = spawn(command!, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
