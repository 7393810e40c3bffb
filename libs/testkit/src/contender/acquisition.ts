import type { Bedrock, Lease } from 'bedrock-lock';
import { READERS } from 'bedrock-lock/backend';
import { systemClock } from 'bedrock-lock/integration';
import type { Share } from '../history/history-event.js';
import type { ContenderJob, PermitJob } from './contender-job.js';

/** One acquisition of a contender. */
export interface Acquisition {
  readonly waitMs: number;
  readonly share?: Share;
  /** True for a reader: it shares the lock with other readers, and changes nothing. */
  readonly isReader?: boolean;
  readonly acquire: () => Promise<Lease>;
}

export function acquisitionOf(job: ContenderJob, bedrock: Bedrock): Acquisition {
  const { resource, kind = 'mutex', permits, readWrite } = job;
  if (permits !== undefined) return permitAcquisition(bedrock, resource, permits);
  if (readWrite !== undefined) return readWriteAcquisition(bedrock, resource, readWrite.writes);
  const lock = bedrock[kind](resource);
  return { waitMs: lock.settings.waitMs, acquire: () => lock.acquire() };
}

function permitAcquisition(
  bedrock: Bedrock,
  resource: string,
  { of: capacity, take = 1 }: PermitJob,
): Acquisition {
  const [least, most] = typeof take === 'number' ? [take, take] : take;
  const units = least + Math.floor(systemClock.random() * (most - least + 1));
  const semaphore = bedrock.semaphore(resource, { permits: capacity });
  const acquire = (): Promise<Lease> => semaphore.acquire({ permits: units });
  return { waitMs: semaphore.settings.waitMs, share: { units, capacity }, acquire };
}

function readWriteAcquisition(bedrock: Bedrock, resource: string, writes: number): Acquisition {
  const isReader = systemClock.random() >= writes;
  const lock = bedrock.readWriteLock(resource)[isReader ? 'read' : 'write'];
  const share = { units: isReader ? 1 : READERS, capacity: READERS };
  return { waitMs: lock.settings.waitMs, share, isReader, acquire: () => lock.acquire() };
}
