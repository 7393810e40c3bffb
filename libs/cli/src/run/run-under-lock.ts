import {
  BackendUnavailableError,
  Bedrock,
  LockBusyError,
  LockWaitTimeoutError,
  type Backend,
  type HolderView,
  type Lease,
  type LockLostError,
  type Mutex,
} from 'bedrock-lock';
import { constants } from 'node:os';
import { EXIT, SIGNALLED } from '../output/exit-codes.js';
import { CommandGroup } from './command-group.js';
import type { RunMessages } from './run-messages.js';
import { SignalRelay } from './signal-relay.js';

/** A command, and how to run it. */
export interface RunRequest {
  readonly resource: string;
  readonly command: readonly [string, ...string[]];
  readonly environment: NodeJS.ProcessEnv;
  /** Longest wait for the lock, in ms: 0 tries once, Infinity waits until a signal. */
  readonly waitMs: number;
  /** Life of the lock without a sign of this process, in ms; undefined for the default of the library. */
  readonly leaseMs: number | undefined;
  /** The lock is kept at least this long, in ms, even if the command ends before. */
  readonly holdAtLeastMs: number;
  /** From SIGTERM to SIGKILL when the lock is lost, in ms. */
  readonly graceMs: number;
  /** A lock that is held is a reason to do nothing, and no failure. */
  readonly skipIfHeld: boolean;
  /** Exit code when the lock was not granted. */
  readonly conflictExitCode: number;
}

/** How long processes of an ended command may hold the lock before a message tells of them, in ms. */
const BACKGROUND_NOTICE_MS = 1_000;

/**
 * Runs a command while a mutex is held. The lock is released once the command and every process in its session have ended.
 * Closes the backend.
 * @returns the exit code of `bedrock` @throws InvalidOptionError, UnsupportedByBackendError
 */
export async function runUnderLock(
  backend: Backend,
  request: RunRequest,
  messages: RunMessages,
): Promise<number> {
  const bedrock = new Bedrock({ backend, closeGraceMs: 0 });
  using relay = new SignalRelay();
  try {
    const granted = await askFor(bedrock, request, relay, messages);
    return typeof granted === 'number'
      ? granted
      : await runWith(bedrock, granted, { request, relay, messages });
  } finally {
    await bedrock.close();
  }
}

/** The lease, or the exit code where there is none. */
async function askFor(
  bedrock: Bedrock,
  { resource, waitMs, leaseMs, holdAtLeastMs, skipIfHeld, conflictExitCode }: RunRequest,
  relay: SignalRelay,
  messages: RunMessages,
): Promise<Lease | number> {
  const lock = bedrock.mutex(resource, { waitMs, holdAtLeastMs, ...(leaseMs !== undefined && { leaseMs }) });
  const askedAt = performance.now();
  try {
    // Once it has answered, the wait for the lock outlasts an outage.
    await bedrock.ready();
    const lease = await lock.acquire({ signal: relay.wait });
    messages.granted(performance.now() - askedAt, lease.token);
    return lease;
  } catch (error) {
    if (relay.ending !== undefined) return SIGNALLED + constants.signals[relay.ending];
    if (error instanceof BackendUnavailableError) {
      messages.unavailable(error);
      return EXIT.unavailable;
    }
    if (!(error instanceof LockBusyError || error instanceof LockWaitTimeoutError)) throw error;
    const holder = await holderOf(lock, error.holder);
    if (skipIfHeld) {
      messages.skipped(holder);
      return EXIT.ok;
    }
    messages.notGranted('waitedMs' in error ? error.waitedMs : 0, holder);
    return conflictExitCode;
  }
}

/** The holder with its process, which a refusal does not look up. */
async function holderOf(lock: Mutex, refused: HolderView | undefined): Promise<HolderView | undefined> {
  try {
    const holders = await lock.inspect();
    // Where it has changed meanwhile, the one that stood in the way is named.
    return holders.find(({ id }) => id === refused?.id) ?? refused ?? holders[0];
  } catch {
    return refused;
  }
}

interface Run {
  readonly request: RunRequest;
  readonly relay: SignalRelay;
  readonly messages: RunMessages;
}

async function runWith(bedrock: Bedrock, lease: Lease, { request, relay, messages }: Run): Promise<number> {
  const { command, environment, graceMs } = request;
  let group: CommandGroup;
  try {
    group = await CommandGroup.start(command, { ...environment, ...factsOf(lease) }, graceMs);
  } catch (error) {
    await lease.release();
    messages.notStarted(command[0], error as NodeJS.ErrnoException);
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? EXIT.notFound : EXIT.notExecutable;
  }
  relay.sendTo(group);
  let killed: Promise<void> | undefined;
  const onLost = () => {
    // First of all: a message may have to wait for its reader.
    killed ??= group.end(graceMs);
    messages.lost(lease.signal.reason as LockLostError, graceMs);
  };
  // Its lease ends soon, and the command has to end before that.
  const stopListening = bedrock.on('lease.revoked', ({ remainingMs }) => {
    const restMs = Math.min(graceMs, remainingMs);
    killed ??= group.end(restMs);
    messages.revoked(restMs);
  });
  if (lease.signal.aborted) onLost();
  lease.signal.addEventListener('abort', onLost, { once: true });
  const exitCode = await group.exitCode;
  const notice = setTimeout(() => messages.backgroundProcesses(), BACKGROUND_NOTICE_MS);
  await group.ended();
  clearTimeout(notice);
  lease.signal.removeEventListener('abort', onLost);
  stopListening();
  await killed;
  const outcome = await lease.release();
  if (outcome === 'unconfirmed') messages.unconfirmed();
  return killed !== undefined || outcome === 'lost' ? EXIT.lost : exitCode;
}

/** What the command may know of its lock. */
function factsOf(lease: Lease): Record<string, string | undefined> {
  return {
    BEDROCK_RESOURCE: lease.resource,
    // Without a token of its own, it must not see that of an outer run.
    BEDROCK_TOKEN: lease.token > 0 ? String(lease.token) : undefined,
    BEDROCK_LEASE_UNTIL: String(Math.floor(Date.now() + lease.remainingMs)),
  };
}
