import { Logger } from '@nestjs/common';
import type { Bedrock } from 'bedrock-lock';
import { LOG_CONTEXT } from '../core/lock.constants.js';

/** Logs each lost lease: the result of a method that ignores its signal looks like a success. */
export function logLosses(bedrock: Bedrock): void {
  const logger = new Logger(LOG_CONTEXT);
  bedrock.on('lease.lost', ({ resource, heldMs, reason }) => {
    // A closing application ends its own locks.
    if (reason !== 'closed')
      logger.warn(`lock "${resource}" was lost after ${Math.round(heldMs)} ms: ${reason}`);
  });
}
