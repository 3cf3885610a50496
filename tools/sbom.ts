// Writes the software bill of materials of what users install (CycloneDX), from the lockfile and without network.
//   node tools/sbom.ts [file]      default: sbom.cdx.json
//
// `npm sbom --omit dev` leaves out packages that development tools need, too, so its whole list is filtered here.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

interface Component {
  readonly name: string;
  readonly version: string;
  readonly 'bom-ref': string;
  readonly hashes?: readonly unknown[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** A software bill of materials, as far as it is used here. */
export interface Sbom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** The software bill of materials of the package with everything that it needs to run. */
export function createSbom(): Sbom {
  const options = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const text = execFileSync('npm', options, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const whole = JSON.parse(text) as Sbom;
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly name: string };
  const components = whole.components.filter(
    ({ properties = [] }) => !properties.some((one) => one.name === 'cdx:npm:package:development'),
  );
  const { component } = whole.metadata;
  const kept = new Set([component, ...components].map((one) => one['bom-ref']));
  return {
    ...whole,
    metadata: { ...whole.metadata, component: { ...component, name } },
    components,
    dependencies: whole.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => kept.has(ref)) })),
  };
}

if (import.meta.main)
  writeFileSync(process.argv[2] ?? join(root, 'sbom.cdx.json'), `${JSON.stringify(createSbom(), undefined, 2)}\n`);
