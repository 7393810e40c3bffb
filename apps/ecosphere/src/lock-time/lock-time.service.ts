import { Injectable } from '@nestjs/common';
import { Mutex } from 'bedrock-lock';
import { InjectLock } from 'nestjs-bedrock';

/** Durations of one acquire and release, and whether both kept their promise. */
export interface Cycle {
  readonly acquireMs: number;
  readonly releaseMs: number;
  readonly token: number;
  /** True if the lock was held in between, and the release was confirmed. */
  readonly isSound: boolean;
}

/** Times single cycles of the lock, one after the other. */
@Injectable()
export class LockTimeService {
  constructor(@InjectLock('lock-time') private readonly lock: Mutex) {}

  async cycle(): Promise<Cycle> {
    const askedAt = performance.now();
    const lease = await this.lock.acquire();
    const acquiredAt = performance.now();
    const { token, isHeld } = lease;
    const outcome = await lease.release();
    return {
      acquireMs: acquiredAt - askedAt,
      releaseMs: performance.now() - acquiredAt,
      token,
      isSound: isHeld && outcome === 'released' && !lease.isHeld,
    };
  }
}
