import { Bedrock, UnsupportedByBackendError } from 'bedrock-lock';
import { postgresSession } from 'bedrock-lock/postgres';
import { eventually, granted } from 'bedrock-testkit';
import { recordFaults } from '../mysql/record-faults.js';
import { SOON, type RecordFixture } from '../mysql/record-fixture.js';
import { recordPromises } from '../mysql/record-promises.js';
import { PostgresFixture } from './fixture.js';

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
const LEASE_MS = 10_000;

describe('records in rows of PostgreSQL', () => {
  const fixture = new PostgresFixture();

  beforeAll(() => fixture.start());
  afterEach(() => fixture.clean());
  afterAll(() => fixture.stop());

  const number = async (text: string, values: readonly (string | number)[] = []) => {
    const { rows } = await fixture.observer.query<Record<string, unknown>>(text, [...values]);
    return rows[0] === undefined ? undefined : Number(Object.values(rows[0])[0]);
  };
  const recordFixture: RecordFixture = {
    get server() {
      return fixture.server;
    },
    module: new URL('backend-of.mjs', import.meta.url).href,
    backend: (options) => fixture.backend(options),
    untilUs: (resource) => number('SELECT until_us FROM bedrock_records WHERE resource = $1', [resource]),
    nowUs: async () => (await number(`SELECT ${NOW}`))!,
    put: async (resource, owner, lifeMs) => {
      const text = `INSERT INTO bedrock_records VALUES ($1, $2, '', NULL, ${NOW} + $3::bigint)`;
      await number(text, [resource, owner, lifeMs * 1_000]);
    },
    count: async (prefix) =>
      (await number('SELECT count(*) FROM bedrock_records WHERE starts_with(resource, $1)', [prefix]))!,
    holdRow: async (resource) => {
      const user = await fixture.observer.connect();
      await user.query('BEGIN');
      await user.query('SELECT 1 FROM bedrock_records WHERE resource = $1 FOR UPDATE', [resource]);
      return async ({ lifeMs, owner }) => {
        const change = `UPDATE bedrock_records SET owner = $2, until_us = ${NOW} + $3::bigint WHERE resource = $1`;
        await user.query(change, [resource, owner, lifeMs * 1_000]);
        await user.query('COMMIT');
        user.release(true);
      };
    },
    waitingForRows: async () =>
      (await number(`SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`))!,
    observeAgain: () => Promise.resolve(),
  };
  recordPromises(recordFixture);
  recordFaults(recordFixture);

  it('cost one statement each, a repetition too', async () => {
    const [mine, yours] = [await fixture.backend(), await fixture.backend()];
    const payments = new Bedrock({ backend: mine }).idempotency('costs');
    const before = mine.commands;
    await payments.run({ key: 'k' }, () => 1);
    expect(mine.commands - before).toBe(2);
    const there = new Bedrock({ backend: yours }).idempotency('costs');
    const seen = yours.commands;
    expect((await there.run({ key: 'k' }, () => 2)).replayed).toBe(true);
    expect(yours.commands - seen).toBe(1);
  });

  it('are neither written nor locked by a repetition', async () => {
    const backend = await fixture.backend();
    const start = { resource: 'idle', owner: 'mine', fingerprint: '', leaseMs: LEASE_MS, notAfter: Infinity };
    await backend.records!.begin(start);
    const row = () => fixture.observer.query('SELECT xmin, xmax, ctid FROM bedrock_records');
    const { rows } = await row();
    expect((await backend.records!.begin({ ...start, owner: 'yours' }))?.owner).toBe('mine');
    expect((await row()).rows).toEqual(rows);
  });

  it('are looked up by an index when those that are over are swept, however many live', async () => {
    // Tables that no other test has looked at.
    const backend = fixture.unready({ tablePrefix: 'many_', clock: SOON });
    await backend.ensureSchema();
    const life = `CASE WHEN i <= 3000 THEN -1 ELSE 86400000000 END`;
    await fixture.observer.query(`INSERT INTO many_records
      SELECT 'many:' || i, 'o', '', NULL, ${NOW} + ${life} FROM generate_series(1, 20000) i; ANALYZE many_records`);
    await backend.records!.begin({
      resource: 'r',
      owner: 'o',
      fingerprint: '',
      leaseMs: LEASE_MS,
      notAfter: Infinity,
    });
    const last = "SELECT 1 FROM many_records WHERE resource = 'many:3000'";
    await eventually('it is swept', async () => (await number(last)) === undefined);
    await backend.close();
    const scans = (kind: string) =>
      number(`SELECT ${kind} FROM pg_stat_user_tables WHERE relname = 'many_records'`);
    // They are counted some time after they were.
    await eventually('it is counted', async () => (await scans('n_tup_del')) === 3_000);
    expect(await scans('seq_tup_read')).toBe(0);
  });

  it('are kept through a pooler too', async () => {
    const backend = await fixture.backend({ throughPooler: true });
    const payments = new Bedrock({ backend }).idempotency('pooled');
    expect((await payments.run({ key: 'k' }, () => 1)).replayed).toBe(false);
    expect(await payments.run({ key: 'k' }, () => 2)).toEqual({ value: 1, replayed: true });
  });

  it('need no more rights than to read, insert, update and delete, and locks need none on them', async () => {
    await fixture.observer.query(`CREATE ROLE few LOGIN;
      GRANT SELECT, INSERT, UPDATE, DELETE ON bedrock_locks, bedrock_processes TO few`);
    const bedrock = new Bedrock({
      backend: fixture.unready({ url: fixture.server.url.replace('postgres@', 'few@') }),
    });
    await bedrock.mutex('rights').run(() => undefined);
    const payments = bedrock.idempotency('few');
    await expect(payments.run({ key: 'k' }, () => 1)).rejects.toMatchObject({ executed: 'no' });
    await fixture.observer.query('GRANT SELECT, INSERT, UPDATE, DELETE ON bedrock_records TO few');
    expect((await payments.run({ key: 'k' }, () => 1)).replayed).toBe(false);
    await expect(payments.run({ key: 'e' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await payments.forget('k')).toBe(true);
    await bedrock.close();
    await fixture.observer.query('DROP OWNED BY few; DROP ROLE few');
  });

  it('say what to do when their table is missing; the locks go on', async () => {
    const backend = fixture.unready({ tablePrefix: 'older_' });
    await backend.ensureSchema();
    await fixture.observer.query('DROP TABLE older_records');
    await granted(backend, 'older');
    const start = { resource: 'r', owner: 'o', fingerprint: '', leaseMs: LEASE_MS, notAfter: Infinity };
    await expect(backend.records!.begin(start)).rejects.toMatchObject({
      executed: 'no',
      detail: expect.stringMatching(/older_records.*ensureSchema\(\)/s) as string,
    });
  });

  it('get their table where there is one already without waiting for writers', async () => {
    const user = await fixture.observer.connect();
    await user.query("BEGIN; INSERT INTO bedrock_records VALUES ('open', 'user', '', NULL, 1)");
    const made = fixture.unready({ operationTimeoutMs: 500 }).ensureSchema();
    const error = await made.catch((reason: unknown) => reason);
    await user.query('ROLLBACK');
    user.release();
    expect(error).toBeUndefined();
  });

  it('are not there for locks of sessions', () => {
    const bedrock = new Bedrock({ backend: postgresSession(fixture.server.url) });
    expect(() => bedrock.idempotency('payments')).toThrow(UnsupportedByBackendError);
  });
});
