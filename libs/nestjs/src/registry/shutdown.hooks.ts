import { Logger } from '@nestjs/common';
import type { Bedrock, Clock } from 'bedrock-lock';
import { LOG_CONTEXT } from '../core/lock.constants.js';

/** Set by Jest, Vitest, Node's test runner and Mocha workers: their tests close the applications themselves. */
const TEST_VARIABLES = ['JEST_WORKER_ID', 'VITEST', 'NODE_TEST_CONTEXT', 'MOCHA_WORKER_ID'];
/** Functions that Mocha and Jasmine define globally; Mocha without workers sets no variable. */
const TEST_GLOBALS = ['describe', 'it'];
/**
 * `enableShutdownHooks()` may follow `createApplicationContext()`, in which providers may already acquire locks; in ms.
 */
const ENABLED_WITHIN_MS = 1_000;

/** Warns once per application, if a lock was granted and no listener handles SIGTERM. */
export function warnWithoutShutdownHooks(bedrocks: readonly Bedrock[], clock: Clock): void {
  if (isTest()) return;
  const shared = bedrocks.filter(({ backend }) => !backend.traits.inProcess);
  const stops = shared.map((bedrock) =>
    bedrock.on('lease.granted', () => {
      for (const stop of stops) stop();
      if (!hasSigtermListener()) clock.setTimer(() => warn(bedrock), ENABLED_WITHIN_MS);
    }),
  );
}

function warn({ isClosed }: Bedrock): void {
  if (isClosed || hasSigtermListener()) return;
  new Logger(LOG_CONTEXT).warn(
    'no listener handles SIGTERM, so locks held at that time stay until their leases expire: call ' +
      'app.enableShutdownHooks(), or set warnWithoutShutdownHooks: false',
  );
}

function hasSigtermListener(): boolean {
  return process.listenerCount('SIGTERM') > 0;
}

function isTest(): boolean {
  if (process.env['NODE_ENV'] === 'test' || TEST_VARIABLES.some((name) => process.env[name] !== undefined))
    return true;
  return TEST_GLOBALS.every((name) => typeof (globalThis as Record<string, unknown>)[name] === 'function');
}
