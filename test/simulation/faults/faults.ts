import type { SimClient } from '../load/sim-client.js';
import type { SimNode } from '../node/sim-node.js';
import type { Prng } from '../world/prng.js';
import type { SimSystem } from '../world/sim-system.js';

/** Where faults happen. */
export interface FaultDeps {
  readonly system: SimSystem;
  /** Those that live. */
  readonly clients: readonly SimClient[];
  readonly prng: Prng;
  /** Another process begins on the machine of this one, after a while. */
  replace(client: SimClient): void;
}

type Fault = (deps: FaultDeps) => void;

function anyNode({ system, prng }: FaultDeps): SimNode {
  return prng.pick(system.nodes);
}

function onConnection(
  deps: FaultDeps,
  act: (connection: SimNode['connections'] extends Set<infer C> ? C : never) => void,
): void {
  const connections = [...anyNode(deps).connections];
  if (connections.length > 0) act(deps.prng.pick(connections));
}

/** A time on the scale of the events: about a time-out, or a lease, or far less. */
function span({ system, prng }: FaultDeps): number {
  const { leaseMs, operationTimeoutMs } = system.scenario;
  return prng.pick([5, 50, operationTimeoutMs, Math.min(leaseMs, 2_000)]) * prng.between(0.3, 2);
}

function stopClient(deps: FaultDeps): void {
  if (deps.clients.length > 0) deps.prng.pick(deps.clients).process.stop(span(deps));
}

function killClient(deps: FaultDeps): void {
  if (deps.clients.length === 0) return;
  const client = deps.prng.pick(deps.clients);
  deps.system.isTidy = false;
  client.process.kill();
  deps.system.deaths.set(client.process.name, deps.system.world.now);
  // What it had ends by itself.
  deps.system.recordDisruption(deps.system.scenario.leaseMs + 1_000);
  for (const node of deps.system.nodes)
    for (const connection of node.connections) if (connection.process === client.process) connection.break();
  deps.replace(client);
}

function closeClient(deps: FaultDeps): void {
  if (deps.clients.length === 0) return;
  const client = deps.prng.pick(deps.clients);
  deps.system.isTidy = false;
  client.process.begin(() => void client.close(deps.prng.pick([0, 50, 1_000])));
  deps.replace(client);
}

function partition(deps: FaultDeps): void {
  const { prng, system } = deps;
  if (system.paths.length === 0) return;
  const path = prng.pick(system.paths);
  const ms = span(deps);
  system.world.tell('network', () => `a path is closed for ${ms.toFixed(1)} ms`);
  system.recordDisruption(ms + 200);
  path.close(ms);
}

function mute(deps: FaultDeps): void {
  onConnection(deps, (connection) => {
    const how = deps.prng.whole(1, 3);
    connection.process.tell(() => `a connection to ${connection.node.name} dies silently (${how})`);
    connection.losesRequests ||= how !== 1;
    connection.losesReplies ||= how !== 2;
  });
}

function reset(deps: FaultDeps): void {
  onConnection(deps, (connection) => {
    connection.process.tell(() => `a connection to ${connection.node.name} is reset`);
    connection.break();
  });
}

function crash(deps: FaultDeps): void {
  const { prng, system } = deps;
  const { promised, restartGuard, maxLeaseMs, leaseMs } = system.scenario;
  const mayLose = restartGuard || promised === 'no exclusion';
  const node = anyNode(deps);
  if (mayLose) system.isTidy = false;
  const downMs = span(deps);
  system.recordDisruption(downMs + 150 + (restartGuard ? maxLeaseMs : 0) + (mayLose ? leaseMs : 0));
  if (!node.isDown) node.crash(downMs, mayLose ? prng.pick(['all', 'nothing', 'old']) : 'all');
}

function loseData(deps: FaultDeps): void {
  const { promised, restartGuard } = deps.system.scenario;
  const node = anyNode(deps);
  if (restartGuard || promised === 'no exclusion') deps.system.isTidy = false;
  deps.system.recordDisruption(restartGuard ? deps.system.scenario.maxLeaseMs : 0);
  if (restartGuard || promised === 'no exclusion') node.flush();
  else node.redis.scripts.forget();
}

function stepClock(deps: FaultDeps): void {
  if (deps.system.scenario.promised !== 'no exclusion') return;
  deps.system.isTidy = false;
  deps.system.recordDisruption(3_000 + deps.system.scenario.leaseMs);
  anyNode(deps).step(deps.prng.between(-3_000, 3_000));
}

function stopNode(deps: FaultDeps): void {
  const ms = span(deps);
  deps.system.recordDisruption(ms);
  anyNode(deps).stop(ms);
}

const FAULTS: readonly Fault[] = [
  stopClient, stopClient, killClient, closeClient, partition, partition, mute, mute, reset, reset, crash, loseData, stepClock,
  stopNode,
  (deps) => anyNode(deps).save(),
]; // prettier-ignore

const NETWORK_FAULTS: readonly Fault[] = [partition, mute, reset];

/** Lets something go wrong. */
export function injectFault(deps: FaultDeps): void {
  const { faultsOf } = deps.system.scenario;
  deps.prng.pick(faultsOf === 'all' ? FAULTS : NETWORK_FAULTS)(deps);
}
