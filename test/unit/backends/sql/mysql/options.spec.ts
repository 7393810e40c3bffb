import { InvalidOptionError } from 'bedrock-lock';
import { mysql, mysqlSessions, mysqlTransactionLocks } from 'bedrock-lock/mysql';
import { badOptionsOfDatabase, refusesBadOptions } from '../../../../support/bad-options.js';

const URL_ = 'mysql://root:secret@127.0.0.1:1/db';

describe('options of MySQL', () => {
  refusesBadOptions(mysql, [
    ...badOptionsOfDatabase({ url: URL_ }),
    ['options', {}],
    ['options', { url: URL_, connection: {} }],
    ['url', ''],
    ['url', 'redis://secret@x'],
    ['url', 'secret'],
    ['url', { url: 5 }],
    ['url?multipleStatements', `${URL_}?multipleStatements=true`],
    ['url?charset', `${URL_}?charset=latin1`],
    ['connection', { connection: 5 }],
    ['connection.namedPlaceholders', { connection: { namedPlaceholders: true } }],
    ['connection.connectTimeout', { connection: { connectTimeout: 5 } }],
  ]);

  it('takes valid options, and connects to nothing', () => {
    for (const given of [URL_, { connection: { host: 'x', user: 'y' } }, { url: URL_, tablePrefix: 'a_1' }])
      expect(mysql(given).commands).toBe(0);
  });

  it('knows for each mode what it needs', () => {
    const sessions = (): unknown => mysqlSessions({ url: URL_, keepRowsMs: 5 } as never);
    const transactions = (): unknown => mysqlTransactionLocks({ url: URL_, label: 'x' } as never);
    for (const given of [sessions, transactions]) expect(given).toThrow(InvalidOptionError);
  });

  it('says so when no server answers', async () => {
    for (const backend of [mysql(URL_), mysqlSessions(URL_)]) {
      await expect(backend.ping()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
      await backend.close();
    }
  });
});
