import { startZooKeeper, startZooKeeperEnsemble } from 'bedrock-servers';
import { Admin } from '../../unit/backends/session-queue/zookeeper/admin.js';
import type { EngineFixture } from './engine-fixture.js';

export async function zookeeperFixture(): Promise<EngineFixture> {
  const server = await startZooKeeper();
  return fixtureOf({
    target: async () => server,
    optionsFor: (port) => ({ connect: `127.0.0.1:${port}` }),
    stop: () => server.stop(),
  });
}

/** Processes know all members; the target is the one that leads. */
export async function zookeeperEnsembleFixture(): Promise<EngineFixture> {
  const ensemble = await startZooKeeperEnsemble();
  return fixtureOf({
    target: () => ensemble.leader(),
    optionsFor: () => ({ connect: ensemble.connect }),
    stop: () => ensemble.stop(),
  });
}

function fixtureOf(own: Pick<EngineFixture, 'target' | 'optionsFor' | 'stop'>): EngineFixture {
  return {
    engine: 'zookeeper',
    ...own,
    remaining: async (resource) => nodesAbout(resource, await own.target()),
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
