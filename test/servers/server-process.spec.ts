import { ServerProcess } from './src/server-process.js';

function start(script: string): Promise<ServerProcess> {
  return ServerProcess.start({
    name: 'shell',
    scheme: 'redis',
    source: 'local',
    port: 1,
    command: () => ['/bin/sh', '-c', script],
    isReady: () => Promise.resolve(false),
  });
}

describe('a server that ends at its start', () => {
  it('is reported with what is read of it after its exit', async () => {
    await expect(start('{ sleep 0.3; echo the reason >&2; } & exit 1')).rejects.toThrow(
      'shell ended at its start:\nthe reason\n',
    );
  });

  it('is reported although a process that it has left behind holds its output open', async () => {
    await expect(start('sleep 5 & echo the reason; exit 1')).rejects.toThrow(
      'shell ended at its start:\nthe reason\n',
    );
  });

  it('is reported when its program is not there', async () => {
    const missing = ServerProcess.start({
      name: 'missing',
      scheme: 'redis',
      source: 'local',
      port: 1,
      command: () => ['/no/such/program'],
      isReady: () => Promise.resolve(false),
    });
    await expect(missing).rejects.toThrow(/^missing ended at its start:\n.*ENOENT/);
  });
});
