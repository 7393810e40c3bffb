import { BackendUnavailableError, type Backend, type ClaimView } from 'bedrock-lock';
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addBackendOptions,
  durationOption,
  withBackend,
  type BackendOptions,
} from '../input/backend-options.js';
import { EXIT } from '../output/exit-codes.js';
import { holderText } from '../output/holder-text.js';
import { visible } from '../output/visible.js';
import { adminOf } from './admin-of.js';

interface WaitingOptions extends BackendOptions {
  readonly wait?: number;
}

/** Pause between two looks, in ms. */
const PAUSE_MS = 500;

/** Adds `wait` to the program. @param exit receives the exit code */
export function addWait(program: Command, exit: (code: number) => void): void {
  const wait = program
    .command('wait')
    .description('wait until a lock is free, without taking it')
    .argument('<resource>', 'name of the lock, with its prefix and the parts of its key')
    .addOption(
      durationOption(
        '-w, --wait <time>',
        `longest wait; then exit with ${EXIT.conflict} (default: for ever)`,
      ),
    );
  addBackendOptions(wait, 'bedrock wait').action(async (resource: string, options: WaitingOptions) => {
    const deadline = performance.now() + (options.wait ?? Infinity);
    const holder = await withBackend(options, (backend) => whenFree(backend, resource, deadline));
    if (options.json === true)
      process.stdout.write(`${JSON.stringify({ resource, free: holder === undefined, holder })}\n`);
    else if (holder !== undefined)
      process.stderr.write(`bedrock: ${visible(resource)}: is still held by ${holderText(holder)}\n`);
    exit(holder === undefined ? EXIT.ok : EXIT.conflict);
  });
}

/** A holder that is left at the deadline; undefined once there is none. */
async function whenFree(
  backend: Backend,
  resource: string,
  deadline: number,
): Promise<ClaimView | undefined> {
  for (let looks = 0; ; looks += 1) {
    const restMs = deadline - performance.now();
    try {
      const [kind] = await adminOf(backend).find(resource);
      if (kind === undefined || restMs <= 0) return kind?.holders[0];
    } catch (error) {
      // Once the backend has answered, the wait outlasts an outage.
      if (looks === 0 || restMs <= 0 || !(error instanceof BackendUnavailableError)) throw error;
    }
    await sleep(Math.min(PAUSE_MS, Math.max(0, restMs)));
  }
}
