import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readInputText } from '../files/input.ts';
import { loadPlugins, type Plugins } from '../detectors/plugins/load.ts';
import { kindNames } from '../detectors/registry.ts';
import { parseJsonFile } from '../schema/parse.ts';

const NAMES = { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 100 } as const;

/** The JSON Schema of the user's settings file. */
export const configSchema = {
  $id: 'urn:playbyplay:config:1',
  type: 'object',
  additionalProperties: false,
  properties: { plugins: NAMES, profiles: NAMES },
} as const;

/** The user's settings file. */
function configPath(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_CONFIG_HOME'] || (process.platform === 'win32' && env['APPDATA']) || join(homedir(), '.config');
  return join(base, 'playbyplay', 'config.json');
}

/**
 * Lists the plug-ins that the user named in the settings and on the command line. Profiles and files of the current folder cannot
 * name any, as they may come from strangers.
 *
 * @throws PlaybyplayError `config-broken`
 */
export async function findPlugins(options: readonly string[] = []): Promise<readonly string[]> {
  return [...new Set([...(await readConfig('plugins')), ...options])];
}

/** Loads the plug-ins that the user named. See {@link findPlugins}. */
export async function loadUserPlugins(options?: readonly string[]): Promise<Plugins> {
  return loadPlugins(await findPlugins(options), kindNames());
}

/**
 * Lists the paths of the user's profiles, those of the command line first.
 *
 * @throws PlaybyplayError `config-broken`
 */
export async function findProfiles(options: readonly string[] = []): Promise<readonly string[]> {
  return [...options, ...(await readConfig('profiles'))];
}

async function readConfig(key: 'plugins' | 'profiles'): Promise<readonly string[]> {
  const path = configPath();
  if (!existsSync(path)) return [];
  const text = readInputText(path, 'config-broken');
  const config = parseJsonFile(configSchema, text, { source: path, code: 'config-broken' });
  // Relative paths are relative to the settings file.
  return (config[key] ?? []).map((name) => (/^\.{1,2}[/\\]/.test(name) ? join(dirname(path), name) : name));
}
