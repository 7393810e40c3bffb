import {
  BackendUnavailableError,
  UnsupportedByBackendError,
  type Backend,
  type NodeView,
} from 'bedrock-lock';
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { addBackendOptions, backendOf, type BackendOptions } from '../input/backend-options.js';
import { durationText } from '../output/durations.js';
import { EXIT } from '../output/exit-codes.js';
import { plainTable } from '../output/plain-table.js';
import { visible, visibleMessage } from '../output/visible.js';

const HEAD = ['NODE', 'STATE', 'ANSWERED IN', 'LAST ERROR'];
/** How long nodes may take to answer, and how often they are looked at, in ms. */
const LONGEST_MS = 2_000;
const PAUSE_MS = 20;

/** Adds `nodes` to the program. @param exit receives the exit code */
export function addNodes(program: Command, exit: (code: number) => void): void {
  const nodes = program
    .command('nodes')
    .description('show the nodes of a combination, and which of them serve');
  addBackendOptions(nodes, 'bedrock nodes').action(async (options: BackendOptions) => {
    const { views, outage } = await lookAtNodes(await backendOf(options, process.env));
    if (options.json === true) for (const view of views) process.stdout.write(`${jsonText(view)}\n`);
    else process.stdout.write(`${plainTable(HEAD, views.map(cellsOf))}\n`);
    // Which nodes are away matters most when too few are left.
    if (outage !== undefined) throw outage;
    exit(EXIT.ok);
  });
}

/** Closes the backend. @throws UnsupportedByBackendError, InvalidOptionError */
async function lookAtNodes(
  backend: Backend,
): Promise<{ readonly views: readonly NodeView[]; readonly outage: Error | undefined }> {
  const { nodes, name } = backend;
  try {
    if (nodes === undefined)
      throw new UnsupportedByBackendError(name, 'a list of nodes', 'only a combination has nodes');
    const outage = await whenServing(backend);
    return { views: await allKnown(nodes), outage };
  } finally {
    await backend.close();
  }
}

/** The reason why too few nodes serve, if so. */
async function whenServing(backend: Backend): Promise<Error | undefined> {
  try {
    await backend.ready();
    await backend.ping();
    return undefined;
  } catch (error) {
    if (error instanceof BackendUnavailableError) return error;
    throw error;
  }
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

function jsonText({ lastError, ...view }: NodeView): string {
  return JSON.stringify({ ...view, ...(lastError && { lastError: lastError.message }) });
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
