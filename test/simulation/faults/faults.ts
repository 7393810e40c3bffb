import type { Client } from '../load/client.js';
import type { SimNode } from '../node/sim-node.js';
import type { Prng } from '../world/prng.js';
import type { Site } from '../world/site.js';

/** Where faults happen. */
export interface FaultGround {
  readonly site: Site;
  /** Those that live. */
  readonly clients: readonly Client[];
  readonly prng: Prng;
  /** Another process begins on the machine of this one, after a while. */
  replace(client: Client): void;
}

type Fault = (ground: FaultGround) => void;

function anyNode({ site, prng }: FaultGround): SimNode {
  return prng.pick(site.nodes);
}

function onConnection(
  ground: FaultGround,
  act: (connection: SimNode['connections'] extends Set<infer C> ? C : never) => void,
): void {
  const connections = [...anyNode(ground).connections];
  if (connections.length > 0) act(ground.prng.pick(connections));
}

/** A time that matters to what is going on: about a time-out, or a lease, or far less. */
function span({ site, prng }: FaultGround): number {
  const { leaseMs, operationTimeoutMs } = site.scenario;
  return prng.pick([5, 50, operationTimeoutMs, Math.min(leaseMs, 2_000)]) * prng.between(0.3, 2);
}

function stopClient(ground: FaultGround): void {
  if (ground.clients.length > 0) ground.prng.pick(ground.clients).process.stop(span(ground));
}

function killClient(ground: FaultGround): void {
  if (ground.clients.length === 0) return;
  const client = ground.prng.pick(ground.clients);
  ground.site.isTidy = false;
  client.process.kill();
  ground.site.deaths.set(client.process.name, ground.site.world.now);
  // What it had ends by itself.
  ground.site.trouble(ground.site.scenario.leaseMs + 1_000);
  for (const node of ground.site.nodes)
    for (const connection of node.connections) if (connection.process === client.process) connection.break();
  ground.replace(client);
}

function closeClient(ground: FaultGround): void {
  if (ground.clients.length === 0) return;
  const client = ground.prng.pick(ground.clients);
  ground.site.isTidy = false;
  client.process.begin(() => void client.close(ground.prng.pick([0, 50, 1_000])));
  ground.replace(client);
}

function partition(ground: FaultGround): void {
  const { prng, site } = ground;
  if (site.paths.length === 0) return;
  const path = prng.pick(site.paths);
  const ms = span(ground);
  site.world.tell('network', () => `a way is closed for ${ms.toFixed(1)} ms`);
  site.trouble(ms + 200);
  path.close(ms);
}

function mute(ground: FaultGround): void {
  onConnection(ground, (connection) => {
    const how = ground.prng.whole(1, 3);
    connection.process.tell(() => `a connection to ${connection.node.name} dies silently (${how})`);
    connection.losesRequests ||= how !== 1;
    connection.losesReplies ||= how !== 2;
  });
}

function reset(ground: FaultGround): void {
  onConnection(ground, (connection) => {
    connection.process.tell(() => `a connection to ${connection.node.name} is reset`);
    connection.break();
  });
}

function crash(ground: FaultGround): void {
  const { prng, site } = ground;
  const { promised, restartGuard, maxLeaseMs, leaseMs } = site.scenario;
  const mayLose = restartGuard || promised === 'no exclusion';
  const node = anyNode(ground);
  if (mayLose) site.isTidy = false;
  const downMs = span(ground);
  site.trouble(downMs + 150 + (restartGuard ? maxLeaseMs : 0) + (mayLose ? leaseMs : 0));
  if (!node.isDown) node.crash(downMs, mayLose ? prng.pick(['all', 'nothing', 'old']) : 'all');
}

function loseData(ground: FaultGround): void {
  const { promised, restartGuard } = ground.site.scenario;
  const node = anyNode(ground);
  if (restartGuard || promised === 'no exclusion') ground.site.isTidy = false;
  ground.site.trouble(restartGuard ? ground.site.scenario.maxLeaseMs : 0);
  if (restartGuard || promised === 'no exclusion') node.flush();
  else node.redis.scripts.forget();
}

function stepClock(ground: FaultGround): void {
  if (ground.site.scenario.promised !== 'no exclusion') return;
  ground.site.isTidy = false;
  ground.site.trouble(3_000 + ground.site.scenario.leaseMs);
  anyNode(ground).step(ground.prng.between(-3_000, 3_000));
}

function stopNode(ground: FaultGround): void {
  const ms = span(ground);
  ground.site.trouble(ms);
  anyNode(ground).stop(ms);
}

const FAULTS: readonly Fault[] = [
  stopClient, stopClient, killClient, closeClient, partition, partition, mute, mute, reset, reset, crash, loseData, stepClock,
  stopNode,
  (ground) => anyNode(ground).save(),
]; // prettier-ignore

const OF_NETWORK: readonly Fault[] = [partition, mute, reset];

/** Lets something go wrong. */
export function inflict(ground: FaultGround): void {
  const { faultsOf } = ground.site.scenario;
  ground.prng.pick(faultsOf === 'all' ? FAULTS : OF_NETWORK)(ground);
}
