import { Logger } from '@nestjs/common';
import type { Bedrock } from 'bedrock-lock';
import { LOG_CONTEXT } from '../core/lock.constants.js';

/** Tells the log of the application of each lost lease: what a method that ignores its signal returns looks like a success. */
export function logLosses(bedrock: Bedrock): void {
  const logger = new Logger(LOG_CONTEXT);
  bedrock.on('lease.lost', ({ resource, heldMs, reason }) => {
    // At its end the application takes its locks back itself.
    if (reason !== 'closed')
      logger.warn(`lock "${resource}" was lost after ${Math.round(heldMs)} ms: ${reason}`);
  });
}
