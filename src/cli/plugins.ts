import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { moduleBeside } from '../compute/scheduler/threads.ts';
import { watch } from '../detectors/plugins/watch.ts';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { checkSchema } from '../schema/check.ts';
import type { Schema } from '../schema/from-schema.ts';
import type { WatchdogData } from './watchdog.ts';

const NAMES: Schema = { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 100 };

const configSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: { plugins: NAMES, profiles: NAMES },
};

/** Where a person's own settings lie. */
function configPath(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_CONFIG_HOME'] || (process.platform === 'win32' && env['APPDATA']) || join(homedir(), '.config');
  return join(base, 'playbyplay', 'config.json');
}

/**
 * The plug-ins that the person named: in their own settings, then on the command line. Never a game's profile nor a file
 * in the current folder: those may come from strangers. Throws PlaybyplayError `config-broken`.
 */
export async function namedPlugins(options: readonly string[] | undefined): Promise<readonly string[]> {
  const names = [...new Set([...(await configured('plugins', configPath())), ...(options ?? [])])];
  if (names.length > 0) {
    // Ends the process where one of them never comes back.
    const data: WatchdogData = { cells: watch.cells, names };
    new Worker(moduleBeside(import.meta.url, './watchdog'), { workerData: data }).unref();
  }
  return names;
}

/** Where the person's own profiles lie: by their settings, then by the command line. Throws PlaybyplayError `config-broken`. */
export async function namedProfiles(options: readonly string[] | undefined): Promise<readonly string[]> {
  return [...(options ?? []), ...(await configured('profiles', configPath()))];
}

async function configured(what: 'plugins' | 'profiles', path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PlaybyplayError('config-broken', `the settings in ${path} are not JSON: ${messageOf(error)}`);
  }
  const issues = checkSchema(configSchema, value, { source: path });
  if (issues.length > 0) throw new PlaybyplayError('config-broken', `the settings in ${path} are wrong`, { issues });
  // Paths in it are seen from where it lies.
  return ((value as Partial<Record<typeof what, readonly string[]>>)[what] ?? []).map((name) =>
    /^\.{1,2}[/\\]/.test(name) ? join(dirname(path), name) : name,
  );
}
