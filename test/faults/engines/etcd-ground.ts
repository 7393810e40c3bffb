import { startEtcd, startEtcdEnsemble, type RunningServer } from 'bedrock-servers';
import { keysOf } from '../../unit/backends/session-queue/etcd/fixture.js';
import type { Ground } from './ground.js';

export async function etcdGround(): Promise<Ground> {
  const server = await startEtcd();
  return groundOf({
    victim: async () => server,
    where: (port) => ({ hosts: `http://127.0.0.1:${port}` }),
    stop: () => server.stop(),
  });
}

/** Processes know all members; the victim is the one that leads. */
export async function etcdEnsembleGround(): Promise<Ground> {
  const ensemble = await startEtcdEnsemble();
  return groundOf({
    victim: () => ensemble.leader(),
    where: () => ({ hosts: ensemble.urls }),
    stop: () => ensemble.stop(),
  });
}

function groundOf(own: Pick<Ground, 'victim' | 'where' | 'stop'>): Ground {
  return { engine: 'etcd', ...own, leftovers: async () => keysIn(await own.victim()) };
}

/** Of a server that nobody else uses. */
async function keysIn({ url }: RunningServer): Promise<string[]> {
  return (await keysOf(url)).map(({ key }) => `key ${key}`);
}
