import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './src/free-port.js';
import { reserve } from './src/reserved-ports.js';

/** None that a server is given. */
const PORT = 9_999;
const path = join(tmpdir(), 'bedrock-servers.ports', String(PORT));

describe('a port of a test server', () => {
  afterEach(() => rmSync(path, { force: true }));

  it('is given to nobody else while this process lives, whether its server runs or not', () => {
    rmSync(path, { force: true });
    expect([reserve(PORT), reserve(PORT)]).toEqual([true, false]);
  });

  it('can be had again when the process that had it is dead', () => {
    writeFileSync(path, String(spawnSync('true').pid));
    expect([reserve(PORT), reserve(PORT)]).toEqual([false, true]);
  });

  it('is another one each time', async () => {
    const ports = [...(await freePorts(50)), ...(await freePorts(50))];
    expect(new Set(ports).size).toBe(100);
  });
});
