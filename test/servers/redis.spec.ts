import { jest } from '@jest/globals';
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';

const run = promisify(execFile);
const started: RunningServer[] = [];

async function start(...options: Parameters<typeof startRedis>): Promise<RunningServer> {
  const server = await startRedis(...options);
  started.push(server);
  return server;
}

/** Sends one inline command and answers with the first line, or fails after `withinMs`. */
function ask(
  { host, port }: { host: string; port: number },
  command: string,
  withinMs = 2_000,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port }, () => socket.write(`${command}\r\n`));
    socket.setTimeout(withinMs, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes.toString().trim());
    });
  });
}

function isAlive(pid: number | undefined): boolean {
  try {
    process.kill(pid!, 0);
    return true;
  } catch {
    return false;
  }
}

describe('startRedis', () => {
  // The first test of a bare machine installs the server.
  jest.setTimeout(180_000);

  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.stop()));
  });

  it('starts a server of its own that answers on 127.0.0.1', async () => {
    const server = await start();
    expect(server.url).toBe(`redis://127.0.0.1:${server.port}`);
    expect(['local', 'testcontainers', 'debian']).toContain(server.source);
    await expect(ask(server, 'PING')).resolves.toBe('+PONG');
  });

  it('gives every caller another server', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    await ask(one, 'SET which one');
    expect(one.port).not.toBe(two.port);
    await expect(ask(two, 'EXISTS which')).resolves.toBe(':0');
  });

  it('passes arguments on, and the last of a name counts', async () => {
    const server = await start({ args: ['--appendonly', 'yes', '--databases', '3'] });
    await expect(ask(server, 'SELECT 2')).resolves.toBe('+OK');
    await expect(ask(server, 'SELECT 3')).resolves.toMatch(/out of range/);
  });

  it('reports why a server that was found does not start, instead of looking elsewhere', async () => {
    await expect(start({ args: ['--no-such-option', '1'] })).rejects.toThrow(
      /ended at its start[^]*no-such-option/,
    );
  });

  it('comes back after a crash on the same port with what it kept', async () => {
    const server = await start({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    const { port, pid } = server;
    await ask(server, 'SET survives yes');
    server.kill('SIGKILL');
    await eventually('the server is gone', () => !isAlive(pid));
    await expect(ask(server, 'PING')).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    await server.restart();
    expect(server.port).toBe(port);
    expect(server.pid).not.toBe(pid);
    await expect(ask(server, 'EXISTS survives')).resolves.toBe(':1');
  });

  it('comes back empty after a restart when it keeps nothing', async () => {
    const server = await start();
    await ask(server, 'SET survives no');
    await server.restart();
    await expect(ask(server, 'EXISTS survives')).resolves.toBe(':0');
  });

  it('freezes and thaws: the connection opens, the answer waits', async () => {
    const server = await start();
    server.pause();
    const late = ask(server, 'PING', 10_000);
    await expect(ask(server, 'PING', 200)).rejects.toThrow('no answer');
    server.resume();
    await expect(late).resolves.toBe('+PONG');
  });

  it('stops a frozen server too, and a second stop does nothing', async () => {
    const server = await start();
    const { pid } = server;
    server.pause();
    await server.stop();
    await server.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('removes its temporary folder, and keeps a folder that was given unless fresh', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'kept-'));
    const args = ['--appendonly', 'yes', '--appendfsync', 'always'];
    const server = await start({ dir, args });
    await ask(server, 'SET survives yes');
    await server.stop();
    expect(existsSync(dir)).toBe(true);
    const again = await start({ dir, args });
    await expect(ask(again, 'EXISTS survives')).resolves.toBe(':1');
    await again.stop();
    const fresh = await start({ dir, args, fresh: true });
    await expect(ask(fresh, 'EXISTS survives')).resolves.toBe(':0');
    await fresh.stop();
    rmSync(dir, { recursive: true });

    const temporary = await start();
    const [, folder] = (await askAll(temporary, 'CONFIG GET dir')).match(/(\/\S*bedrock-redis-\S+)/) ?? [];
    expect(existsSync(folder!)).toBe(true);
    await temporary.stop();
    expect(existsSync(folder!)).toBe(false);
  });

  it.each(['exit', 'SIGKILL'])('leaves no server and no folder when its process ends by %s', async (how) => {
    const child = fork(new URL('orphan-maker.mjs', import.meta.url), { execArgv: [] });
    const [{ pid, dir }] = (await once(child, 'message')) as [{ pid: number; dir: string }];
    expect(isAlive(pid)).toBe(true);
    expect(existsSync(dir)).toBe(true);
    if (how === 'exit') child.send('exit');
    else child.kill('SIGKILL');
    await once(child, 'exit');
    await eventually('the server and its folder are gone', () => !isAlive(pid) && !existsSync(dir));
  });

  it('lets a program end that forgot to stop its server', async () => {
    const script = "import { startRedis } from 'bedrock-servers'; console.log((await startRedis()).pid);";
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      cwd: import.meta.dirname,
      timeout: 60_000,
    });
    await eventually('the server is gone', () => !isAlive(Number(stdout)));
  });
});

describe('REDIS_URL', () => {
  let before: string | undefined;
  beforeEach(() => (before = process.env['REDIS_URL']));
  afterEach(async () => {
    if (before === undefined) delete process.env['REDIS_URL'];
    else process.env['REDIS_URL'] = before;
    await Promise.all(started.splice(0).map((server) => server.stop()));
  });

  it('serves a test that allows sharing, and refuses faults', async () => {
    const real = await start();
    process.env['REDIS_URL'] = real.url;
    const shared = await startRedis({ shared: true });
    expect(shared).toMatchObject({ source: 'environment', port: real.port, pid: undefined });
    expect(() => shared.kill('SIGKILL')).toThrow(/is shared/);
    expect(() => shared.pause()).toThrow(/is shared/);
    await shared.stop();
    await expect(ask(real, 'PING')).resolves.toBe('+PONG');
  });

  it('is not touched by a test that wants a server of its own', async () => {
    process.env['REDIS_URL'] = 'redis://127.0.0.1:1';
    const server = await start();
    expect(server.source).not.toBe('environment');
  });

  it('is an error when nothing answers there', async () => {
    process.env['REDIS_URL'] = 'redis://127.0.0.1:1';
    await expect(startRedis({ shared: true })).rejects.toThrow(/no Redis answers there/);
  });
});

function askAll(server: RunningServer, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = '';
    const socket = connect(server, () => socket.end(`${command}\r\nQUIT\r\n`));
    socket.on('data', (bytes) => (reply += bytes.toString()));
    socket.once('error', reject);
    socket.once('close', () => resolve(reply));
  });
}
