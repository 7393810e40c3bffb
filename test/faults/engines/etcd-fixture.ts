import { startEtcd, startEtcdEnsemble, type RunningServer } from 'bedrock-servers';
import { keysOf } from '../../unit/backends/session-queue/etcd/fixture.js';
import type { EngineFixture } from './engine-fixture.js';

export async function etcdFixture(): Promise<EngineFixture> {
  const server = await startEtcd();
  return fixtureOf({
    target: async () => server,
    optionsFor: (port) => ({ hosts: `http://127.0.0.1:${port}` }),
    stop: () => server.stop(),
  });
}

/** Processes know all members; the target is the one that leads. */
export async function etcdEnsembleFixture(): Promise<EngineFixture> {
  const ensemble = await startEtcdEnsemble();
  return fixtureOf({
    target: () => ensemble.leader(),
    optionsFor: () => ({ hosts: ensemble.urls }),
    stop: () => ensemble.stop(),
  });
}

function fixtureOf(own: Pick<EngineFixture, 'target' | 'optionsFor' | 'stop'>): EngineFixture {
  return { engine: 'etcd', ...own, remaining: async () => keysIn(await own.target()) };
}

/** For a server without other users. */
async function keysIn({ url }: RunningServer): Promise<string[]> {
  return (await keysOf(url)).map(({ key }) => `key ${key}`);
}
