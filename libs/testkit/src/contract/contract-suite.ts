import { systemClock } from 'bedrock-lock';
import type { ContractHarness } from './contract-harness.js';
import type { ContractTheme } from './contract-theme.js';
import { Stage } from './stage.js';
import { bounds } from './themes/bounds.js';
import { cancelling } from './themes/cancelling.js';
import { closing } from './themes/closing.js';
import { crash } from './themes/crash.js';
import { exclusion } from './themes/exclusion.js';
import { expiry } from './themes/expiry.js';
import { fairness } from './themes/fairness.js';
import { leftovers } from './themes/leftovers.js';
import { operators } from './themes/operators.js';
import { order } from './themes/order.js';
import { reentry } from './themes/reentry.js';
import { renewal } from './themes/renewal.js';
import { tokens } from './themes/tokens.js';
import { verbs } from './themes/verbs.js';

/** What every backend promises, by theme. */
export const CONTRACT: Readonly<Record<string, ContractTheme>> = {
  'mutual exclusion': exclusion,
  'order and waking': order,
  'fairness between processes': fairness,
  'fencing tokens': tokens,
  'verbs that may be repeated': verbs,
  'a holder that dies': crash,
  renewal,
  'the end of a lease': expiry,
  're-entry': reentry,
  'waiters that leave': cancelling,
  'nothing left behind': leftovers,
  bounds,
  closing,
  operators,
};

/** The functions of a test runner that the contract needs: Jest, Vitest and others have them as globals. */
export interface TestRunner {
  readonly describe: (title: string, body: () => void) => void;
  readonly it: (title: string, body: () => Promise<void>, timeoutMs?: number) => void;
  readonly beforeAll: (body: () => Promise<void>) => void;
  readonly afterAll: (body: () => Promise<void>) => void;
}

const CASE_TIMEOUT_MS = 30_000;
const globals: object = globalThis;

/** Registers the contract as tests of the runner: what passes it may serve as a backend of bedrock-lock. */
export function contractSuite(harness: ContractHarness, runner = globals as TestRunner): void {
  const { describe, it, beforeAll, afterAll } = runner;
  describe(`the contract on ${harness.name}`, () => {
    beforeAll(async () => harness.open?.());
    afterAll(() => harness.close());
    for (const [theme, promises] of Object.entries(CONTRACT)) {
      describe(theme, () => {
        for (const [promise, prove] of Object.entries(promises)) {
          it(promise, () => onStage(harness, prove), CASE_TIMEOUT_MS);
        }
      });
    }
  });
}

async function onStage(harness: ContractHarness, prove: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = new Stage(harness, systemClock);
  try {
    await prove(stage);
  } finally {
    await stage.close();
  }
}
