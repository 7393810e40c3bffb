import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from './src/binary.js';
import { NotHere, startFromFirst } from './src/finding.js';
import type { RunningServer } from './src/running-server.js';

const server = { source: 'local' } as RunningServer;
const nowhere = (reason: string) => () => Promise.reject(new NotHere(reason));

describe('finding a server', () => {
  it('takes the first place that has one', async () => {
    const found = startFromFirst(
      'Redis',
      [
        { source: 'environment', start: nowhere('no url') },
        { source: 'local', start: () => Promise.resolve(server) },
        { source: 'debian', start: () => Promise.reject(new Error('never asked')) },
      ],
      'Install it.',
    );
    await expect(found).resolves.toBe(server);
  });

  it('fails with one error that lists every place and says what to do', async () => {
    const found = startFromFirst(
      'Redis',
      [
        { source: 'local', start: nowhere('no redis-server on PATH') },
        { source: 'debian', start: nowhere('not root') },
      ],
      'Install redis-server.',
    );
    await expect(found).rejects.toThrow(
      'No Redis server could be found. Tried:\n' +
        '  - local: no redis-server on PATH\n  - debian: not root\nInstall redis-server.',
    );
  });

  it('does not hide a server that was found and does not start', async () => {
    const found = startFromFirst(
      'Redis',
      [
        { source: 'local', start: () => Promise.reject(new Error('bad option')) },
        { source: 'debian', start: () => Promise.resolve(server) },
      ],
      '',
    );
    await expect(found).rejects.toThrow('bad option');
  });
});

describe('findBinary', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bedrock-binary-'));
  const program = join(dir, 'some-server');
  const before = process.env['PATH'];

  beforeAll(() => {
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o755);
  });
  afterEach(() => {
    process.env['PATH'] = before;
    delete process.env['SOME_SERVER_BIN'];
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  it('searches PATH', () => {
    expect(() => findBinary('some-server', 'SOME_SERVER_BIN')).toThrow(NotHere);
    process.env['PATH'] = `${before}:${dir}`;
    expect(findBinary('some-server', 'SOME_SERVER_BIN')).toBe(program);
  });

  it('obeys the override, and a wrong one is an error rather than a reason to look elsewhere', () => {
    process.env['SOME_SERVER_BIN'] = program;
    expect(findBinary('another-name', 'SOME_SERVER_BIN')).toBe(program);
    process.env['SOME_SERVER_BIN'] = join(dir, 'missing');
    expect(() => findBinary('some-server', 'SOME_SERVER_BIN')).toThrow(/not an executable file/);
    expect(() => findBinary('some-server', 'SOME_SERVER_BIN')).not.toThrow(NotHere);
  });
});
