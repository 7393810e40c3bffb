import { Logger } from '@nestjs/common';
import type { Bedrock } from 'bedrock-lock';
import { LOG_CONTEXT } from './lock.tokens.js';

/** Where no application is told to end: each test makes and closes its own. */
const IN_TESTS = ['JEST_WORKER_ID', 'VITEST'];

/** What of the log can be turned off. */
export interface LockLogOptions {
  readonly warnWithoutShutdownHooks: boolean;
}

/** Tells the log of the application what nobody else would hear of. */
export function logLocks(bedrock: Bedrock, { warnWithoutShutdownHooks }: LockLogOptions): void {
  const logger = new Logger(LOG_CONTEXT);
  // What a method that ignores its signal returns looks like a success.
  bedrock.on('lease.lost', ({ resource, heldMs, reason }) => {
    // At its end the application takes its locks back itself.
    if (reason !== 'closed')
      logger.warn(`lock "${resource}" was lost after ${Math.round(heldMs)} ms: ${reason}`);
  });
  if (!warnWithoutShutdownHooks || bedrock.backend.traits.inProcess || isTest()) return;
  const stop = bedrock.on('lease.granted', () => {
    stop();
    if (process.listenerCount('SIGTERM') > 0) return;
    logger.warn(
      'nothing listens to SIGTERM, so locks that are held then stay until their leases end: call ' +
        'app.enableShutdownHooks(), or set warnWithoutShutdownHooks: false',
    );
  });
}

function isTest(): boolean {
  return process.env['NODE_ENV'] === 'test' || IN_TESTS.some((name) => process.env[name] !== undefined);
}
