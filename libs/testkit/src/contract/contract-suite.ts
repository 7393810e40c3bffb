import { Liveness } from '../liveness/liveness.js';
import { DurationSamples } from './context/duration-samples.js';
import type { MutexVariant } from '../contender/contender-job.js';
import type { ContractHarness } from './context/contract-harness.js';
import type { ContractGroup } from './context/contract-group.js';
import type { CountedPrimitive } from './context/request-meter.js';
import { nameOf, WHOLE_CONTRACT, type ContractPart, type PromiseName } from './contract-part.js';
import { contenderScale } from './context/contender-scale.js';
import { HAND_OVER_MS, ContractContext } from './context/contract-context.js';
import { administration } from './groups/holding/administration.js';
import { arrival } from './groups/waiting/arrival.js';
import { bounds } from './groups/waiting/bounds.js';
import { cancelling } from './groups/waiting/cancelling.js';
import { closing } from './groups/waiting/closing.js';
import { countingSemaphores } from './groups/primitives/counting-semaphores.js';
import { crash } from './groups/holding/crash.js';
import { exclusion } from './groups/holding/exclusion.js';
import { expirableSemaphores } from './groups/primitives/expirable-semaphores.js';
import { expiry } from './groups/holding/expiry.js';
import { fairness } from './groups/waiting/fairness.js';
import { idempotency } from './groups/primitives/idempotency.js';
import { latches } from './groups/primitives/latches.js';
import { leadership } from './groups/primitives/leadership.js';
import { leftovers } from './groups/holding/leftovers.js';
import { operators } from './groups/holding/operators.js';
import { order } from './groups/waiting/order.js';
import { readWriteLocks } from './groups/primitives/read-write-locks.js';
import { readWriteVerbs } from './groups/primitives/read-write-verbs.js';
import { reentry } from './groups/holding/reentry.js';
import { permitVerbs } from './groups/primitives/permit-verbs.js';
import { renewal } from './groups/holding/renewal.js';
import { roundTripsOf } from './groups/round-trips/round-trips.js';
import { semaphores } from './groups/primitives/semaphores.js';
import { severalLocks } from './groups/waiting/several-locks.js';
import { machineSleep } from './groups/holding/sleep.js';
import { tokens } from './groups/holding/tokens.js';
import { verbs } from './groups/holding/verbs.js';

/** Promises by group. */
export type ContractGroups = Readonly<Record<string, ContractGroup>>;

/** The promises of every backend about every kind of mutex, by group. */
export const CONTRACT: ContractGroups = {
  'mutual exclusion': exclusion,
  'order and waking': order,
  'fairness between processes': fairness,
  'fencing tokens': tokens,
  'verbs that may be repeated': verbs,
  'a holder that dies': crash,
  'a machine that sleeps': machineSleep,
  renewal,
  'the end of a lease': expiry,
  're-entry': reentry,
  'waiters that leave': cancelling,
  'nothing left behind': leftovers,
  'several locks at once': severalLocks,
  bounds,
  closing,
  operators,
  administration,
};

/**
 * The promises that arrival order affects: claims, withdrawals and revocations of a queue of callers. The rest of
 * {@link CONTRACT} runs the same code for both kinds of mutex.
 */
const FAIR_CONTRACT: ContractGroups = {
  'mutual exclusion': exclusion,
  'fencing tokens': tokens,
  'verbs that may be repeated': verbs,
  'a holder that dies': crash,
  renewal: pick(renewal, 'keeps the lock for several leases, while others wait'),
  'waiters that leave': cancelling,
  'nothing left behind': pick(
    leftovers,
    'after contention, a refusal and a wait in vain',
    'after a close while claims were under way',
    'after a hold-at-least that is over',
  ),
  bounds: pick(bounds, 'hold for holdAtLeastMs: others stay out after an early release'),
  operators,
  administration: pick(administration, 'finds a lock by its name, and by its shape the holder is freed'),
  'order of arrival': arrival,
};

function pick(group: ContractGroup, ...promises: readonly string[]): ContractGroup {
  return Object.fromEntries(promises.map((promise) => [promise, group[promise]!]));
}

/** The promises of optional drivers and traits, by group. */
export const DRIVER_CONTRACTS: Readonly<
  Record<'counters' | 'permits' | 'records' | 'weighted' | 'shared', ContractGroups>
> = {
  shared: { 'read-write locks': readWriteLocks, 'verbs of read-write locks': readWriteVerbs },
  weighted: { semaphores, 'verbs of semaphores': permitVerbs },
  counters: { 'countdown latches': latches, 'counting semaphores': countingSemaphores },
  permits: { 'semaphores whose permits expire': expirableSemaphores },
  records: { idempotency },
};

/** Its promises need separate processes. */
const SLEEP = 'a machine that sleeps';
const ADMINISTRATION = 'administration';

/** Promises about `holdAtLeastMs`, which a backend with session-bound locks cannot keep. */
export const HOLD_AT_LEAST: ReadonlySet<string> = new Set([
  'hold for holdAtLeastMs: others stay out after an early release',
  'after a hold-at-least that is over',
  'keep what is to be held at least',
  'keep permits taken as long as they are to be held at least, and no longer',
]);

/** The functions of a test runner that the contract needs: Jest, Vitest and others define them globally. */
export interface TestRunner {
  readonly describe: (title: string, body: () => void) => void;
  readonly it: (title: string, body: () => Promise<void>, timeoutMs?: number) => void;
  readonly beforeAll: (body: () => Promise<void>) => void;
  readonly afterAll: (body: () => Promise<void>) => void;
}

/** For fast hand-overs; a promise may take longer in proportion to slow ones. */
const CASE_TIMEOUT_MS = 30_000;
const globals: object = globalThis;

/** How the contract runs. */
export interface ContractOptions {
  /** The promises to register. @default all */
  readonly part?: ContractPart;
  /** @default the runner's global functions */
  readonly runner?: TestRunner;
}

/**
 * Registers the contract as tests of the runner. A backend that passes all of it may serve as a backend of
 * bedrock-lock.
 */
export function contractSuite(
  harness: ContractHarness,
  { part = WHOLE_CONTRACT, runner = globals as TestRunner }: ContractOptions = {},
): void {
  const { describe, it, beforeAll, afterAll } = runner;
  const timeoutMs = CASE_TIMEOUT_MS * Math.max(1, (harness.handOverMs ?? HAND_OVER_MS) / HAND_OVER_MS);
  describe(`the contract on ${harness.name}`, () => {
    let liveness: Liveness;
    let scale = 1;
    beforeAll(async () => {
      liveness = new Liveness(harness.clock);
      await harness.open?.();
      scale = await contenderScale(harness);
    });
    afterAll(() => harness.close());
    const register = (groups: ContractGroups, kind?: MutexVariant): void => {
      for (const [group, promises] of Object.entries(groups)) {
        const chosen = Object.entries(promises).filter(([promise]) =>
          isTried(harness, part, { kind, group, promise }),
        );
        // Runners refuse a group without tests.
        if (chosen.length === 0) continue;
        describe(group, () => {
          for (const [promise, run] of chosen)
            it(
              promise,
              () =>
                liveness.explain(`"${promise}" on ${harness.name}`, () =>
                  keep(
                    liveness,
                    (durations) => new ContractContext(harness, liveness, kind, scale, durations),
                    run,
                  ),
                ),
              timeoutMs,
            );
        });
      }
    };
    for (const { kind, groups } of sectionsOf(harness)) {
      if (kind === undefined) register(groups);
      else describe(kind, () => register(groups, kind));
    }
  });
}

/**
 * The names of the promises that {@link contractSuite} registers, such as
 * `mutex › renewal › keeps many locks at a time`.
 */
export function promisesOf(harness: ContractHarness, part: ContractPart = WHOLE_CONTRACT): string[] {
  return sectionsOf(harness).flatMap(({ kind, groups }) =>
    Object.entries(groups).flatMap(([group, promises]) =>
      Object.keys(promises)
        .map((promise) => ({ kind, group, promise }))
        .filter((name) => isTried(harness, part, name))
        .map(nameOf),
    ),
  );
}

interface ContractSection {
  readonly kind: MutexVariant | undefined;
  readonly groups: ContractGroups;
}

function sectionsOf(harness: ContractHarness): ContractSection[] {
  const { kinds = ['mutex'] } = harness;
  return [
    ...kinds.map((kind) => ({ kind, groups: kind === 'mutex' ? CONTRACT : FAIR_CONTRACT })),
    { kind: undefined, groups: { leadership } },
    { kind: undefined, groups: driverContracts(harness) },
    { kind: undefined, groups: { 'round trips': roundTripsOf(countedPrimitives(harness)) } },
  ];
}

function isTried({ unsupported = [] }: ContractHarness, part: ContractPart, name: PromiseName): boolean {
  if (unsupported.includes('admin') && name.group === ADMINISTRATION) return false;
  if (unsupported.includes('holdAtLeast') && HOLD_AT_LEAST.has(name.promise)) return false;
  return part(name) && !(unsupported.includes('sleep') && name.group === SLEEP);
}

function driverContracts({ unsupported = [] }: ContractHarness): ContractGroups {
  return {
    ...(!unsupported.includes('shared') && DRIVER_CONTRACTS.shared),
    ...(!unsupported.includes('weighted') && DRIVER_CONTRACTS.weighted),
    ...(!unsupported.includes('counters') && DRIVER_CONTRACTS.counters),
    ...(!unsupported.includes('permits') && DRIVER_CONTRACTS.permits),
    ...(!unsupported.includes('records') && DRIVER_CONTRACTS.records),
  };
}

/** The primitives of the backend, where its requests are counted. */
function countedPrimitives({
  kinds = ['mutex'],
  unsupported = [],
  ...harness
}: ContractHarness): CountedPrimitive[] {
  if (harness.roundTrips === undefined) return [];
  return [
    ...kinds,
    'multiLock',
    ...(unsupported.includes('shared') ? [] : (['readLock', 'writeLock'] as const)),
    ...(unsupported.includes('weighted') ? [] : (['semaphore'] as const)),
    ...(unsupported.includes('counters') ? [] : (['countdownLatch', 'countingSemaphore'] as const)),
    ...(unsupported.includes('permits') ? [] : (['expirableSemaphore'] as const)),
    ...(unsupported.includes('records') ? [] : (['idempotency'] as const)),
  ];
}

/** Runs a promise in a context of its own, again where its durations need more samples. */
async function keep(
  liveness: Liveness,
  contextFor: (durations: DurationSamples) => ContractContext,
  run: (context: ContractContext) => Promise<void>,
): Promise<void> {
  const durations = new DurationSamples(liveness);
  while (durations.needsRun) {
    durations.beginRun();
    const context = contextFor(durations);
    try {
      await run(context);
    } finally {
      await context.close();
    }
  }
  durations.assertMedians();
}
