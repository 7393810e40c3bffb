import { startZooKeeper, startZooKeeperEnsemble } from 'bedrock-servers';
import { Admin } from '../../unit/backends/session-queue/zookeeper/admin.js';
import type { Ground } from './ground.js';

export async function zookeeperGround(): Promise<Ground> {
  const server = await startZooKeeper();
  return groundOf({
    victim: async () => server,
    where: (port) => ({ connect: `127.0.0.1:${port}` }),
    stop: () => server.stop(),
  });
}

/** Processes know all members; the victim is the one that leads. */
export async function zookeeperEnsembleGround(): Promise<Ground> {
  const ensemble = await startZooKeeperEnsemble();
  return groundOf({
    victim: () => ensemble.leader(),
    where: () => ({ connect: ensemble.connect }),
    stop: () => ensemble.stop(),
  });
}

function groundOf(own: Pick<Ground, 'victim' | 'where' | 'stop'>): Ground {
  return {
    engine: 'zookeeper',
    ...own,
    leftovers: async (resource) => nodesAbout(resource, await own.victim()),
  };
}

/** A connection of its own: an older one may not have found back yet. */
async function nodesAbout(resource: string, { port }: { readonly port: number }): Promise<string[]> {
  const admin = await Admin.connect(`127.0.0.1:${port}`);
  try {
    const [lines, sessions] = await Promise.all([
      admin.nodesNamed(resource),
      admin.children('/bedrock/sessions'),
    ]);
    return [...lines.map((name) => `line ${name}`), ...sessions.map((name) => `session ${name}`)];
  } finally {
    await admin.close();
  }
}
