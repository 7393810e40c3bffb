import { randomUUID } from 'node:crypto';
import { postgres } from 'bedrock-lock/postgres';
import { startPostgres, type RunningServer } from 'bedrock-servers';
import { runContendersAsProcesses, type ContractHarness } from 'bedrock-testkit';
import { Pool } from 'pg';
import { backendOf } from '../../unit/backends/sql/postgres/backend-of.mjs';
import { costsOf } from '../round-trips/costs-of.js';
import { CountedServer } from '../round-trips/counted-server.js';
import { postgresRequests } from '../round-trips/wire-formats.js';
import { OPERATION_TIMEOUT_MS } from '../times.js';
import { endOf } from '../../unit/backends/sql/postgres/end-of-pool.js';

const FACTORY_MODULE = new URL('../../unit/backends/sql/postgres/backend-of.mjs', import.meta.url).href;
/** Rows of idle locks are gone so soon, so that what the contract calls empty is a table without the row. */
const KEEP_ROWS_MS = 100;
const TIMES = { operationTimeoutMs: OPERATION_TIMEOUT_MS };

/** Real processes on a real server. */
export function postgresHarness(): ContractHarness {
  let server: RunningServer;
  let admin: Pool;
  let counted: CountedServer;
  return {
    name: 'postgres, lease rows',
    kinds: ['mutex', 'fairMutex'],
    handOverMs: 100,
    unsupported: ['counters', 'permits'],
    roundTrips: {
      costs: costsOf('postgres'),
      backend: async () => backendOf(counted.through(server.url), TIMES),
      requests: () => counted.requests,
    },
    open: async () => {
      server = await startPostgres({ shared: true });
      admin = new Pool({ connectionString: server.url, max: 2 });
      counted = await CountedServer.start(server, postgresRequests);
      const backend = postgres(server.url);
      await backend.ensureSchema();
      await backend.close();
    },
    backend: async (options) => backendOf(server.url, { ...TIMES, keepRowsMs: KEEP_ROWS_MS, ...options }),
    runContenders: (jobs) =>
      runContendersAsProcesses(
        { module: FACTORY_MODULE, factory: 'backendOf', args: [server.url, TIMES] },
        jobs,
      ),
    freshResource: () => `contract:${randomUUID()}`,
    // A row that is over has nothing of a lock; where its last user was killed, others remove it later.
    isEmpty: async (resource) => {
      const now = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
      const text = `SELECT 1 FROM bedrock_locks WHERE resource = $1 AND ends_us > ${now}
        UNION ALL SELECT 1 FROM bedrock_records WHERE position($1 IN resource) > 0`;
      return (await admin.query(text, [resource])).rows.length === 0;
    },
    close: async () => {
      await endOf(admin);
      await counted.stop();
      await server.stop();
    },
  };
}
