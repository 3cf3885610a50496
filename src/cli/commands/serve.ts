import { runServiceWorkers, startService } from '../../server/service.ts';
import type { RunCommand } from '../command.ts';
import type * as specs from '../specs.ts';

/** `playbyplay serve` */
export const serve: RunCommand<typeof specs.serve> = async (io, options) => {
  const { data, host, port, workers, role } = options;
  const database = options.database ?? (process.env['PLAYBYPLAY_DATABASE'] || undefined);
  const storage = options.storage ?? (process.env['PLAYBYPLAY_STORAGE'] || undefined);
  const log = (message: string): void => {
    io.stderr.write(`${new Date().toISOString()} ${message}\n`);
  };
  if (role === 'worker') {
    log(`${workers} workers read recordings`);
    await runServiceWorkers({ data, database, storage, workers, log }, io.signal);
    return 0;
  }
  await using service = await startService({
    data,
    database,
    storage,
    host,
    port,
    workers: role === 'api' ? 0 : workers,
    maxUploadBytes: options['max-upload'],
    requestsPerMinute: options['rate-limit'],
    allowPrivateWebhooks: options['allow-private-webhooks'],
    trustProxy: options['trust-proxy'],
    metricsToken: process.env['PLAYBYPLAY_METRICS_TOKEN'] || undefined,
    log,
  });
  log(`listening on ${service.address}`);
  if ((await service.tenants.list()).length === 0) log('there is no tenant yet: playbyplay tenant add <name>');
  if (!io.signal.aborted)
    await new Promise<void>((resolve) => {
      io.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  log('stopping');
  return 0;
};
