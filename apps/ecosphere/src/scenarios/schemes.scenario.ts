import { printTitle } from '../report/print-report.js';
import type { Report } from '../report/report.js';
import { usualLeaseMs } from '../server/run-servers.js';
import { schemesReport } from '../schemes/schemes.report.js';
import type { ScenarioContext } from './scenario.js';

/** Hand-made idempotency on databases: the known result of each way, with Bedrock as comparison. */
export async function schemes({
  options,
  servers,
  serversLabel,
  terminal,
}: ScenarioContext): Promise<Report> {
  if (servers.kind !== 'redis') throw new Error('beside the database, the locks live on Redis');
  const { requests = 50, leaseMs = usualLeaseMs(servers), databaseUrl } = options;
  // Only this scenario needs the database client.
  const [{ openDatabase }, { runSchemes }] = await Promise.all([
    import('../server/open-database.js'),
    import('../schemes/run-schemes.js'),
  ]);
  const database = await openDatabase(databaseUrl);
  try {
    printTitle(terminal, 'Schemes', [
      `${requests} requests at once, each on a connection of its own, data ${database.label}`,
      `locks ${serversLabel}`,
      'all requests of a race meet where they can interleave',
    ]);
    const accounts = await runSchemes({
      databaseUrl: database.url,
      connections: requests,
      redisUrl: servers.url,
      prefix: servers.prefix,
      leaseMs,
    });
    return schemesReport(accounts);
  } finally {
    await database.close();
  }
}
