import { sleep, systemClock } from 'bedrock-lock/integration';

/** For time that is the subject, and for faults that need some to do their harm. */
export function delay(ms: number): Promise<void> {
  return sleep(systemClock, ms);
}
