import { randomUUID } from 'node:crypto';
import { startMariadb, type RunningServer } from 'bedrock-servers';
import { runContendersAsProcesses, type ContractHarness } from 'bedrock-testkit';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { costsOf } from '../round-trips/costs-of.js';
import { CountedServer } from '../round-trips/counted-server.js';
import { mysqlRequests } from '../round-trips/wire-formats.js';
import { OPERATION_TIMEOUT_MS } from '../times.js';
import { backendOf, prepare } from '../../unit/backends/sql/mysql/backend-of.mjs';

const TIMES = { operationTimeoutMs: OPERATION_TIMEOUT_MS };
const MODULE = new URL('../../unit/backends/sql/mysql/backend-of.mjs', import.meta.url).href;

/** Real processes on a real server. */
export function mysqlHarness(): ContractHarness {
  let server: RunningServer;
  let observer: Connection;
  let counted: CountedServer;
  return {
    name: 'mysql',
    kinds: ['mutex', 'fairMutex'],
    handOverMs: 150,
    unsupported: ['counters', 'permits'],
    roundTrips: {
      costs: costsOf('mysql'),
      backend: async () => backendOf(counted.through(server.url), TIMES),
      requests: () => counted.requests,
    },
    open: async () => {
      server = await startMariadb({ shared: true });
      counted = await CountedServer.start(server, mysqlRequests);
      await prepare(server.url);
      observer = await createConnection({ uri: server.url });
    },
    backend: async (options) => backendOf(server.url, { ...TIMES, ...options }),
    runContenders: (jobs) =>
      runContendersAsProcesses({ module: MODULE, factory: 'backendOf', args: [server.url, TIMES] }, jobs),
    freshResource: () => `contract:${randomUUID()}`,
    // A row that is over has nothing of a lock; where its last user was killed, others remove it later.
    isEmpty: async (resource) => {
      const now = 'CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)';
      const rows = `SELECT resource FROM bedrock_locks WHERE INSTR(resource, ?) > 0 AND ends_us > ${now}
        UNION ALL SELECT resource FROM bedrock_records WHERE INSTR(resource, ?) > 0`;
      const [left] = await observer.query<RowDataPacket[]>(rows, [resource, resource]);
      return left.length === 0;
    },
    close: async () => {
      observer?.destroy();
      await counted?.stop();
      await server?.stop();
    },
  };
}
