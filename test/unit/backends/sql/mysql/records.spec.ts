import { setTimeout as sleep } from 'node:timers/promises';
import { Bedrock, UnsupportedByBackendError } from 'bedrock-lock';
import { systemClock } from 'bedrock-lock/integration';
import { claimOf } from 'bedrock-testkit';
import { MysqlRecordTable } from '../../../../../libs/lock/src/backends/sql/mysql/records/mysql-record-table.js';
import { tableNamesOf } from '../../../../../libs/lock/src/backends/sql/mysql/locks/tables.js';
import { MysqlFixture } from './fixture.js';
import { recordFaults } from './record-faults.js';
import type { RecordFixture } from './record-fixture.js';
import { recordPromises } from './record-promises.js';

const NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;
const LEASE_MS = 10_000;

describe('records in rows of MySQL', () => {
  const fixture = new MysqlFixture();

  beforeAll(() => fixture.start({ args: ['--innodb-flush-log-at-trx-commit=1'] }), 180_000);
  afterEach(() => fixture.clean());
  afterAll(() => fixture.stop());

  const number = async (sql: string, values: readonly (string | number)[] = []) => {
    const [row] = await fixture.rows(sql, values);
    return row === undefined ? undefined : Number(Object.values(row)[0]);
  };
  const recordFixture: RecordFixture = {
    get server() {
      return fixture.server;
    },
    module: new URL('backend-of.mjs', import.meta.url).href,
    backend: (options) => fixture.backend(options),
    untilUs: (resource) => number('SELECT until_us FROM bedrock_records WHERE resource = ?', [resource]),
    nowUs: async () => (await number(`SELECT ${NOW}`))!,
    put: async (resource, owner, lifeMs) => {
      const values = [resource, owner, lifeMs * 1_000];
      await fixture.rows(`INSERT INTO bedrock_records VALUES (?, ?, '', NULL, ${NOW} + ?)`, values);
    },
    count: async (prefix) =>
      (await number('SELECT COUNT(*) FROM bedrock_records WHERE INSTR(resource, ?) = 1', [prefix]))!,
    holdRow: async (resource) => {
      const user = await fixture.connection();
      await user.beginTransaction();
      await user.query('SELECT 1 FROM bedrock_records WHERE resource = ? FOR UPDATE', [resource]);
      return async ({ lifeMs, owner }) => {
        const change = `UPDATE bedrock_records SET owner = ?, until_us = ${NOW} + ? WHERE resource = ?`;
        await user.query(change, [owner, lifeMs * 1_000, resource]);
        await user.commit();
        user.destroy();
      };
    },
    waitingForRows: async () => {
      const [row] = await fixture.rows(`SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'`);
      return Number(row!['Value']);
    },
    observeAgain: () => fixture.observe(),
  };
  // The rows that a test puts into the table need it there.
  beforeEach(() => fixture.backend());
  recordPromises(recordFixture);
  recordFaults(recordFixture);

  it('cost one statement each; a repetition one more where this process has not seen the record', async () => {
    const [mine, yours] = [await fixture.backend(), await fixture.backend()];
    const payments = new Bedrock({ backend: mine }).idempotency('costs');
    const before = mine.commands;
    await payments.run({ key: 'k' }, () => 1);
    expect(mine.commands - before).toBe(2);
    await payments.run({ key: 'k' }, () => 1);
    expect(mine.commands - before).toBe(3);
    const there = new Bedrock({ backend: yours }).idempotency('costs');
    const seen = yours.commands;
    for (const statements of [2, 3, 4]) {
      expect((await there.run({ key: 'k' }, () => 2)).replayed).toBe(true);
      expect(yours.commands - seen).toBe(statements);
    }
    // What was seen is a hint alone: others have changed it since.
    await payments.forget('k');
    expect((await there.run({ key: 'k' }, () => 3)).replayed).toBe(false);
  });

  it('are begun though another transaction has the row for longer than the server waits', async () => {
    const { records } = await fixture.backend({ operationTimeoutMs: 5_000 });
    await recordFixture.put('waited', 'dead', -1_000);
    const commit = await recordFixture.holdRow('waited');
    const begun = records!.begin({
      resource: 'waited',
      owner: 'mine',
      fingerprint: '',
      leaseMs: LEASE_MS,
      notAfter: Infinity,
    });
    // It gives up after a second.
    await sleep(1_500);
    await commit({ owner: 'dead', lifeMs: -1_000 });
    expect(await begun).toBeUndefined();
  });

  it('are not believed to be made when the answer does not say so', async () => {
    const silent = { run: () => Promise.resolve({ rows: [], affected: 1, insertId: 0 }) };
    const table = new MysqlRecordTable(silent as never, tableNamesOf('bedrock_'), systemClock);
    const start = { resource: 'silent', owner: 'mine', fingerprint: '', lifeUs: 1, notAfterUs: 1 };
    await expect(table.begin(start, Infinity)).rejects.toMatchObject({ executed: 'unknown' });
  });

  it('need no more rights than to read, insert, update and delete, and locks need none on them', async () => {
    await fixture.rows("CREATE USER few@'127.0.0.1'");
    const grant = (table: string) =>
      fixture.rows(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO few@'127.0.0.1'`);
    await Promise.all(['bedrock_locks', 'bedrock_processes'].map(grant));
    const bedrock = new Bedrock({
      backend: fixture.unready({ url: fixture.server.url.replace('root@', 'few@') }),
    });
    await bedrock.mutex('rights').run(() => undefined);
    const payments = bedrock.idempotency('few');
    await expect(payments.run({ key: 'k' }, () => 1)).rejects.toMatchObject({ executed: 'no' });
    await grant('bedrock_records');
    expect((await payments.run({ key: 'k' }, () => 1)).replayed).toBe(false);
    await expect(payments.run({ key: 'e' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await payments.forget('k')).toBe(true);
    await bedrock.close();
  });

  it('say what to do when their table is missing; the locks go on', async () => {
    const backend = await fixture.backend({ tablePrefix: 'older_' });
    await fixture.rows('DROP TABLE older_records');
    expect((await backend.leases.claim(claimOf(backend, 'older'))).kind).toBe('granted');
    const start = { resource: 'r', owner: 'o', fingerprint: '', leaseMs: LEASE_MS, notAfter: Infinity };
    await expect(backend.records!.begin(start)).rejects.toMatchObject({
      executed: 'no',
      detail: expect.stringMatching(/older_records.*ensureSchema\(\)/s) as string,
    });
  });

  it('are not there for locks of sessions', () => {
    const bedrock = new Bedrock({ backend: fixture.sessions() });
    expect(() => bedrock.idempotency('payments')).toThrow(UnsupportedByBackendError);
  });
});
