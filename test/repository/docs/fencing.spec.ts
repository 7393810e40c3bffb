import { Bedrock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { findPrograms } from 'bedrock-servers';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { snippetsOf } from './snippets.js';

const root = join(import.meta.dirname, '../../..');
const [createTable, guardedUpdate] = snippetsOf(root, join(root, 'docs/safety/fencing.md'))
  .filter(({ language }) => language === 'sql')
  .map(({ code }) => code);

interface Write {
  readonly balance: number;
  readonly token: number;
}

describe('the guarded store of docs/safety/fencing.md', () => {
  let sqlite3: string;
  let bedrock: Bedrock;
  beforeAll(async () => {
    ({ sqlite3 } = await findPrograms({ overrides: { sqlite3: 'BEDROCK_SQLITE3' }, packages: ['sqlite3'] }));
    bedrock = new Bedrock({ backend: memory() });
  });
  afterAll(() => bedrock.close());

  /** Rows that each write has changed, and then the balance. */
  function run(writes: readonly Write[]): number[] {
    const script = [
      createTable,
      'INSERT INTO account (id, balance) VALUES (7, 100);',
      '.parameter set :id 7',
      ...writes.flatMap(({ balance, token }) => [
        `.parameter set :balance ${balance}`,
        `.parameter set :token ${token}`,
        guardedUpdate,
        'SELECT changes();',
      ]),
      'SELECT balance FROM account;',
    ];
    const output = execFileSync(sqlite3, [':memory:'], { input: script.join('\n'), encoding: 'utf8' });
    return output.trim().split('\n').map(Number);
  }

  it('takes the writes of a lease, and refuses those of an earlier one', async () => {
    const lock = bedrock.mutex('account').for(7);
    const late = await lock.run(({ token }) => token);
    const present = await lock.run(({ token }) => token);
    const writes = [
      { balance: 90, token: present },
      { balance: 80, token: present },
      { balance: 100, token: late },
    ];
    expect(run(writes)).toEqual([1, 1, 0, 80]);
  });
});
