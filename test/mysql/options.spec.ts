import { InvalidOptionError } from 'bedrock-lock';
import { mysql, mysqlSessions, mysqlTransactionLocks } from 'bedrock-lock/mysql';

const URL_ = 'mysql://root:secret@127.0.0.1:1/db';
const bad = (given: unknown): string => {
  try {
    mysql(given as never);
  } catch (error) {
    if (error instanceof InvalidOptionError) {
      expect(error.message).not.toContain('secret');
      return error.field;
    }
    throw error;
  }
  return 'accepted';
};

describe('options of MySQL', () => {
  it.each([
    [undefined, 'options'],
    [null, 'options'],
    [5, 'options'],
    [[], 'options'],
    [{}, 'options'],
    [{ url: URL_, connection: {} }, 'options'],
    [{ url: URL_, host: 'x' }, 'options.host'],
    ['', 'url'],
    ['redis://secret@x', 'url'],
    ['secret', 'url'],
    [{ url: 5 }, 'url'],
    [`${URL_}?multipleStatements=true`, 'url?multipleStatements'],
    [`${URL_}?charset=latin1`, 'url?charset'],
    [{ connection: 5 }, 'connection'],
    [{ connection: { namedPlaceholders: true } }, 'connection.namedPlaceholders'],
    [{ connection: { connectTimeout: 5 } }, 'connection.connectTimeout'],
    [{ url: URL_, tablePrefix: '' }, 'tablePrefix'],
    [{ url: URL_, tablePrefix: 'a`b' }, 'tablePrefix'],
    [{ url: URL_, tablePrefix: 'a; DROP TABLE x' }, 'tablePrefix'],
    [{ url: URL_, tablePrefix: 'x'.repeat(65) }, 'tablePrefix'],
    [{ url: URL_, connections: 0 }, 'connections'],
    [{ url: URL_, connections: 1.5 }, 'connections'],
    [{ url: URL_, operationTimeoutMs: Number.NaN }, 'operationTimeoutMs'],
    [{ url: URL_, maxLeaseMs: 2 ** 31 }, 'maxLeaseMs'],
    [{ url: URL_, keepRowsMs: -1 }, 'keepRowsMs'],
    [{ url: URL_, label: '\n' }, 'label'],
    [{ url: URL_, clock: {} }, 'clock'],
  ])('names what is wrong: %j', (given, field) => {
    expect(bad(given)).toBe(field);
  });

  it('takes what is right, and connects to nothing', () => {
    for (const given of [URL_, { connection: { host: 'x', user: 'y' } }, { url: URL_, tablePrefix: 'a_1' }])
      expect(mysql(given).commands).toBe(0);
  });

  it('knows for each mode what it needs', () => {
    const sessions = (): unknown => mysqlSessions({ url: URL_, keepRowsMs: 5 } as never);
    const transactions = (): unknown => mysqlTransactionLocks({ url: URL_, label: 'x' } as never);
    for (const given of [sessions, transactions]) expect(given).toThrow(InvalidOptionError);
  });

  it('says so when nobody answers', async () => {
    for (const backend of [mysql(URL_), mysqlSessions(URL_)]) {
      await expect(backend.ping()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
      await backend.close();
    }
  });
});
