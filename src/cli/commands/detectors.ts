import type { DetectorKind } from '../../detectors/kind.ts';
import { kindNames, loadKind } from '../../detectors/registry.ts';
import type { Fingerprint } from '../../events/log.ts';
import type { RunCommand } from '../command.ts';
import { wrap } from '../help.ts';
import { loadUserPlugins } from '../plugins.ts';
import { type SchemaOption, describeSchemaOptions } from '../schema-options.ts';
import type * as specs from '../specs.ts';

/** `playbyplay detectors [<kind>…]` */
export const detectors: RunCommand<typeof specs.detectors> = async (io, options, ...kinds) => {
  const plugins = await loadUserPlugins(options.plugin);
  const names = kinds.length > 0 ? kinds : [...kindNames(), ...plugins.kinds.keys()].toSorted();
  for (const name of names) {
    const kind = await loadKind(name, plugins);
    const plugin = plugins.kinds.get(name)?.plugin;
    const { description, schema } = kind;
    if (options.json) io.stdout.write(`${JSON.stringify({ name, description, ...(plugin && { plugin }), schema })}\n`);
    else io.stdout.write(formatKind(kind, plugin) + (kinds.length > 0 ? formatOptions(kind) : ''));
  }
  return 0;
};

function formatKind({ name, description }: DetectorKind, plugin: Fingerprint | undefined): string {
  const origin = plugin ? ` (plug-in ${plugin.name} ${plugin.version}, ${plugin.hash.slice(0, 8)})` : '';
  return `${name}${origin}\n${wrap(description, '  ')}\n`;
}

function formatOptions({ schema }: DetectorKind): string {
  const options = describeSchemaOptions(schema).map((option) => wrap(formatOption(option), '    '));
  return options.length === 0 ? '  No options of its own.\n' : `  Options:\n${options.join('\n')}\n`;
}

function formatOption({ name, type, required, default: preset, description }: SchemaOption): string {
  const presence = required ? ', required' : preset === undefined ? '' : `, default ${JSON.stringify(preset)}`;
  return `${name}: ${type.replaceAll('`', '')}${presence}${description === undefined ? '' : `. ${description}`}`;
}
