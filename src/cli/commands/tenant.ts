import { openServiceDatabase } from '../../server/service.ts';
import { DEFAULT_QUOTA, Tenants } from '../../server/tenants.ts';
import type { RunCommand } from '../command.ts';
import type * as specs from '../specs.ts';

function locate({ data, database }: { readonly data: string; readonly database: string | undefined }) {
  return { data, database: database ?? (process.env['PLAYBYPLAY_DATABASE'] || undefined) };
}

/** `playbyplay tenant add <name>` */
export const addTenant: RunCommand<typeof specs.tenantAdd> = async (io, options, name) => {
  await using database = await openServiceDatabase(locate(options));
  const { tenant, key } = await new Tenants(database).add(name, {
    maxBytes: options['max-bytes'] ?? DEFAULT_QUOTA.maxBytes,
    maxRecordingsPerDay: options['max-recordings'] ?? DEFAULT_QUOTA.maxRecordingsPerDay,
  });
  if (options.json) io.stdout.write(`${JSON.stringify({ ...tenant, key })}\n`);
  else {
    io.stdout.write(`${key}\n`);
    io.stderr.write(`This key of ${name} may do everything. It is shown this once.\n`);
  }
  return 0;
};

/** `playbyplay tenant list` */
export const listTenants: RunCommand<typeof specs.tenantList> = async (io, options) => {
  await using database = await openServiceDatabase(locate(options));
  for (const tenant of await new Tenants(database).list())
    io.stdout.write(options.json ? `${JSON.stringify(tenant)}\n` : `${tenant.name}  ${tenant.id}\n`);
  return 0;
};
