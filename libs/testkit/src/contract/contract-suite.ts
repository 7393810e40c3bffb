import { Liveness } from '../liveness/liveness.js';
import type { MutexKind } from '../contender/contender-job.js';
import type { ContractHarness } from './context/contract-harness.js';
import type { ContractTheme } from './context/contract-theme.js';
import { nameOf, WHOLE_CONTRACT, type ContractPart, type PromiseName } from './contract-part.js';
import { sizeOfCrowds } from './context/crowd-size.js';
import { HAND_OVER_MS, Stage } from './context/stage.js';
import { arrival } from './themes/waiting/arrival.js';
import { bounds } from './themes/waiting/bounds.js';
import { cancelling } from './themes/waiting/cancelling.js';
import { closing } from './themes/waiting/closing.js';
import { countingSemaphores } from './themes/primitives/counting-semaphores.js';
import { crash } from './themes/holding/crash.js';
import { exclusion } from './themes/holding/exclusion.js';
import { expirableSemaphores } from './themes/primitives/expirable-semaphores.js';
import { expiry } from './themes/holding/expiry.js';
import { fairness } from './themes/waiting/fairness.js';
import { idempotency } from './themes/primitives/idempotency.js';
import { latches } from './themes/primitives/latches.js';
import { leadership } from './themes/primitives/leadership.js';
import { leftovers } from './themes/holding/leftovers.js';
import { operators } from './themes/holding/operators.js';
import { order } from './themes/waiting/order.js';
import { readWriteLocks } from './themes/primitives/read-write-locks.js';
import { readWriteVerbs } from './themes/primitives/read-write-verbs.js';
import { reentry } from './themes/holding/reentry.js';
import { permitVerbs } from './themes/primitives/permit-verbs.js';
import { renewal } from './themes/holding/renewal.js';
import { semaphores } from './themes/primitives/semaphores.js';
import { severalLocks } from './themes/waiting/several-locks.js';
import { machineSleep } from './themes/holding/sleep.js';
import { tokens } from './themes/holding/tokens.js';
import { verbs } from './themes/holding/verbs.js';

type Themes = Readonly<Record<string, ContractTheme>>;

/** What every backend promises of every kind of mutex, by theme. */
export const CONTRACT: Themes = {
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
};

/**
 * What the order of arrival changes: claims, withdrawals and revocations of a line of callers. The rest of {@link CONTRACT} is
 * the same code for both kinds of mutex.
 */
const FAIR_CONTRACT: Themes = {
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
  'order of arrival': arrival,
};

function pick(theme: ContractTheme, ...promises: readonly string[]): ContractTheme {
  return Object.fromEntries(promises.map((promise) => [promise, theme[promise]!]));
}

/** What a driver promises that not every backend has, and what a trait stands for, by theme. */
export const DRIVER_CONTRACTS: Readonly<
  Record<'counters' | 'permits' | 'records' | 'weighted' | 'shared', Themes>
> = {
  shared: { 'read-write locks': readWriteLocks, 'verbs of read-write locks': readWriteVerbs },
  weighted: { semaphores, 'verbs of semaphores': permitVerbs },
  counters: { 'countdown latches': latches, 'counting semaphores': countingSemaphores },
  permits: { 'semaphores whose permits expire': expirableSemaphores },
  records: { idempotency },
};

/** Promises that take processes of their own. */
const SLEEP = 'a machine that sleeps';

/** Promises about `holdAtLeastMs`, which a backend whose locks end with their session cannot keep. */
export const HOLD_AT_LEAST: ReadonlySet<string> = new Set([
  'hold for holdAtLeastMs: others stay out after an early release',
  'after a hold-at-least that is over',
  'keep what is to be held at least',
  'keep permits taken as long as they are to be held at least, and no longer',
]);

/** The functions of a test runner that the contract needs: Jest, Vitest and others have them as globals. */
export interface TestRunner {
  readonly describe: (title: string, body: () => void) => void;
  readonly it: (title: string, body: () => Promise<void>, timeoutMs?: number) => void;
  readonly beforeAll: (body: () => Promise<void>) => void;
  readonly afterAll: (body: () => Promise<void>) => void;
}

/** Where hand-overs are quick; a promise may take as much longer as those do. */
const CASE_TIMEOUT_MS = 30_000;
const globals: object = globalThis;

/** How the contract is tried. */
export interface ContractOptions {
  /** Which promises. @default all of them */
  readonly part?: ContractPart;
  /** @default the functions that the runner has as globals */
  readonly runner?: TestRunner;
}

/** Registers the contract as tests of the runner: what passes the whole of it may serve as a backend of bedrock-lock. */
export function contractSuite(
  harness: ContractHarness,
  { part = WHOLE_CONTRACT, runner = globals as TestRunner }: ContractOptions = {},
): void {
  const { describe, it, beforeAll, afterAll } = runner;
  const timeoutMs = CASE_TIMEOUT_MS * Math.max(1, (harness.handOverMs ?? HAND_OVER_MS) / HAND_OVER_MS);
  describe(`the contract on ${harness.name}`, () => {
    let liveness: Liveness;
    let size = 1;
    beforeAll(async () => {
      liveness = new Liveness(harness.clock);
      await harness.open?.();
      size = await sizeOfCrowds(harness);
    });
    afterAll(() => harness.close());
    const tell = (themes: Themes, kind?: MutexKind): void => {
      for (const [theme, promises] of Object.entries(themes)) {
        const chosen = Object.entries(promises).filter(([promise]) =>
          isTried(harness, part, { kind, theme, promise }),
        );
        // A runner refuses a group without tests.
        if (chosen.length === 0) continue;
        describe(theme, () => {
          for (const [promise, prove] of chosen)
            it(promise, () => onStage(new Stage(harness, liveness, kind, size), prove), timeoutMs);
        });
      }
    };
    for (const { kind, themes } of groupsOf(harness)) {
      if (kind === undefined) tell(themes);
      else describe(kind, () => tell(themes, kind));
    }
  });
}

/** The names of the promises that {@link contractSuite} registers, such as `mutex › renewal › keeps many locks at a time`. */
export function promisesOf(harness: ContractHarness, part: ContractPart = WHOLE_CONTRACT): string[] {
  return groupsOf(harness).flatMap(({ kind, themes }) =>
    Object.entries(themes).flatMap(([theme, promises]) =>
      Object.keys(promises)
        .map((promise) => ({ kind, theme, promise }))
        .filter((name) => isTried(harness, part, name))
        .map(nameOf),
    ),
  );
}

interface Group {
  readonly kind: MutexKind | undefined;
  readonly themes: Themes;
}

function groupsOf(harness: ContractHarness): Group[] {
  const { kinds = ['mutex'] } = harness;
  return [
    ...kinds.map((kind) => ({ kind, themes: kind === 'mutex' ? CONTRACT : FAIR_CONTRACT })),
    { kind: undefined, themes: { leadership } },
    { kind: undefined, themes: driverContracts(harness) },
  ];
}

function isTried({ lacks = [] }: ContractHarness, part: ContractPart, name: PromiseName): boolean {
  if (lacks.includes('holdAtLeast') && HOLD_AT_LEAST.has(name.promise)) return false;
  return part(name) && !(lacks.includes('sleep') && name.theme === SLEEP);
}

function driverContracts({ lacks = [] }: ContractHarness): Themes {
  return {
    ...(!lacks.includes('shared') && DRIVER_CONTRACTS.shared),
    ...(!lacks.includes('weighted') && DRIVER_CONTRACTS.weighted),
    ...(!lacks.includes('counters') && DRIVER_CONTRACTS.counters),
    ...(!lacks.includes('permits') && DRIVER_CONTRACTS.permits),
    ...(!lacks.includes('records') && DRIVER_CONTRACTS.records),
  };
}

async function onStage(stage: Stage, prove: (stage: Stage) => Promise<void>): Promise<void> {
  try {
    await prove(stage);
  } finally {
    await stage.close();
  }
}
