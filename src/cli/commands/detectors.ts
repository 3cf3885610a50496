import { parseArgs } from 'node:util';
import type { DetectorKind } from '../../detectors/kind.ts';
import { loadPlugins } from '../../detectors/plugins/load.ts';
import { kindNames, loadKind } from '../../detectors/registry.ts';
import type { Fingerprint } from '../../events/log.ts';
import type { Command } from '../command.ts';
import { type OptionRow, optionRows } from '../kinds.ts';
import { namedPlugins } from '../plugins.ts';

const help = `playbyplay detectors [kind]… [--plugin <file or package>]… [--json]

Lists the kinds of detectors that a profile can use, built in and of plug-ins, or shows some with all their options.

  --plugin <name>   also those of this plug-in: a file or folder (./my-detector.js) or an npm package seen from here;
                    may stand several times. It is a program, and is run: name only what you trust
  --json            name, description, plug-in and options of each, one a line

Examples:
  playbyplay detectors
  playbyplay detectors icon
  playbyplay detectors spots --plugin ./spots.js
`;

export const detectors: Command = {
  name: 'detectors',
  summary: 'list the kinds of detectors, those of plug-ins included',
  help,
  async run(args, io) {
    const options = { plugin: { type: 'string', multiple: true }, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const plugins = await loadPlugins(await namedPlugins(values.plugin), kindNames());
    const names = positionals.length > 0 ? positionals : [...kindNames(), ...plugins.kinds.keys()].toSorted();
    for (const name of names) {
      const kind = await loadKind(name, plugins);
      const plugin = plugins.kinds.get(name)?.plugin;
      if (values.json) io.stdout.write(`${JSON.stringify(described(kind, plugin))}\n`);
      else if (positionals.length > 0) io.stdout.write(inFull(kind, plugin));
      else io.stdout.write(`${name}${from(plugin)}\n${wrap(kind.description, '  ')}\n`);
    }
    return 0;
  },
};

function described({ name, description, schema }: DetectorKind, plugin: Fingerprint | undefined): object {
  return { name, description, ...(plugin ? { plugin } : {}), schema };
}

function from(plugin: Fingerprint | undefined): string {
  return plugin ? ` (plug-in ${plugin.name} ${plugin.version}, ${plugin.hash.slice(0, 8)})` : '';
}

function inFull(kind: DetectorKind, plugin: Fingerprint | undefined): string {
  const { properties = {}, required = [] } = kind.schema as {
    properties?: Record<string, Readonly<Record<string, unknown>>>;
    required?: string[];
  };
  const rows = optionRows(properties, required).map((row) => wrap(line(row), '    '));
  const list = rows.length === 0 ? '  No options of its own.' : `  Options:\n${rows.join('\n')}`;
  return `${kind.name}${from(plugin)}\n${wrap(kind.description, '  ')}\n${list}\n`;
}

function line({ name, takes, required, default: preset, description }: OptionRow): string {
  const more = required ? ', required' : preset === undefined ? '' : `, default ${JSON.stringify(preset)}`;
  return `${name}: ${takes.replaceAll('`', '')}${more}${description === undefined ? '' : `. ${description}`}`;
}

/** Lines of at most 100 characters. */
function wrap(text: string, indent: string): string {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    if (lines.at(-1)!.length + word.length > 98) lines.push('');
    lines[lines.length - 1] += `${lines.at(-1) === '' ? indent : ' '}${word}`;
  }
  return lines.join('\n');
}
