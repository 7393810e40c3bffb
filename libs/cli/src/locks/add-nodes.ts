import { UnsupportedByBackendError, type Backend, type NodeView } from 'bedrock-lock';
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { addBackendOptions, withBackend, type BackendOptions } from '../input/backend-options.js';
import { durationText } from '../output/durations.js';
import { EXIT } from '../output/exit-codes.js';
import { plainTable } from '../output/plain-table.js';
import { visible, visibleMessage } from '../output/visible.js';

/** How long nodes may take to answer, and how often they are looked at, in ms. */
const LONGEST_MS = 2_000;
const PAUSE_MS = 20;

/** Adds `nodes` to the program. @param exit receives the exit code */
export function addNodes(program: Command, exit: (code: number) => void): void {
  const nodes = program
    .command('nodes')
    .description('show the nodes of a combination, and which of them serve');
  addBackendOptions(nodes, 'bedrock nodes').action(async (options: BackendOptions) => {
    const views = await withBackend(options, async (backend) => {
      if (backend.nodes === undefined)
        throw new UnsupportedByBackendError(backend.name, 'a list of nodes', 'only a combination has nodes');
      await backend.ping();
      return allKnown(backend.nodes);
    });
    if (options.json === true) {
      for (const { lastError, ...view } of views)
        process.stdout.write(
          `${JSON.stringify({ ...view, ...(lastError && { lastError: lastError.message }) })}\n`,
        );
    } else
      process.stdout.write(
        `${plainTable(['NODE', 'STATE', 'ANSWERED IN', 'LAST ERROR'], views.map(cellsOf))}\n`,
      );
    exit(EXIT.ok);
  });
}

/** A ping ends with the answers of enough nodes; those that do not answer are known a little later. */
async function allKnown(nodes: NonNullable<Backend['nodes']>): Promise<readonly NodeView[]> {
  const deadline = performance.now() + LONGEST_MS;
  for (;;) {
    const views = nodes.views();
    const isKnown = views.every(
      ({ isAvailable, lastLatencyMs }) => !isAvailable || lastLatencyMs !== undefined,
    );
    if (isKnown || performance.now() >= deadline) return views;
    await sleep(PAUSE_MS);
  }
}

function cellsOf({ id, isAvailable, quarantinedUntil, lastLatencyMs, lastError }: NodeView): string[] {
  return [
    visible(id),
    stateText(isAvailable, quarantinedUntil),
    isAvailable && lastLatencyMs !== undefined ? durationText(lastLatencyMs) : '',
    isAvailable || lastError === undefined ? '' : visibleMessage(lastError),
  ];
}

function stateText(isAvailable: boolean, quarantinedUntil: number | undefined): string {
  const leftMs = (quarantinedUntil ?? 0) - Date.now();
  if (leftMs > 0) return `grants nothing for ${durationText(leftMs)}`;
  return isAvailable ? 'serves' : 'does not serve';
}
