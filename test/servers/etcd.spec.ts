import { etcdCall, etcdStatus, startEtcd, startEtcdEnsemble, type RunningServer } from 'bedrock-servers';

const key = btoa('survives');

async function put(url: string, value: string): Promise<void> {
  await etcdCall(url, 'kv/put', { key, value: btoa(value) });
}

async function get(url: string): Promise<string | undefined> {
  const { kvs } = (await etcdCall(url, 'kv/range', { key })) as { kvs?: { value: string }[] };
  return kvs?.[0] && atob(kvs[0].value);
}

describe('startEtcd', () => {
  let server: RunningServer | undefined;
  afterEach(() => server?.stop());

  // The first test of a bare machine installs the server.
  it('starts a server of its own that answers on 127.0.0.1', async () => {
    server = await startEtcd();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(['local', 'testcontainers', 'debian']).toContain(server.source);
    await put(server.url, 'yes');
    await expect(get(server.url)).resolves.toBe('yes');
  }, 180_000);

  it('comes back after a crash on the same port with what it kept', async () => {
    server = await startEtcd();
    const { pid, port } = server;
    await put(server.url, 'yes');
    server.kill('SIGKILL');
    await server.restart();
    expect(server.port).toBe(port);
    expect(server.pid).not.toBe(pid);
    await expect(get(server.url)).resolves.toBe('yes');
  });

  it('is silent while it is frozen, and answers afterwards', async () => {
    server = await startEtcd();
    await put(server.url, 'yes');
    server.pause();
    await expect(get(server.url)).rejects.toThrow(/timeout/);
    server.resume();
    await expect(get(server.url)).resolves.toBe('yes');
  });

  it('reports why a server that was found does not start, instead of looking elsewhere', async () => {
    await expect(startEtcd({ args: ['--no-such-option'] })).rejects.toThrow(/ended at its start/);
  });
});

it('three members have one leader, and another one after its death', async () => {
  const ensemble = await startEtcdEnsemble();
  try {
    const leader = await ensemble.leader();
    await put(leader.url, 'yes');
    leader.kill('SIGKILL');
    const next = await ensemble.leader(leader);
    expect(next).not.toBe(leader);
    await expect(get(next.url)).resolves.toBe('yes');
    await leader.restart();
    const statuses = await Promise.all(ensemble.urls.map((url) => etcdStatus(url)));
    expect(new Set(statuses.map(({ id }) => id)).size).toBe(3);
    await ensemble.leader();
  } finally {
    await ensemble.stop();
  }
}, 60_000);
