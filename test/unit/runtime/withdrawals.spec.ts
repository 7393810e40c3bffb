import { describe, expect, it } from '@jest/globals';
import { BackendUnavailableError } from 'bedrock-lock';
import { MUTEX, type LeaseDriver } from 'bedrock-lock/backend';
import { ManualClock } from 'bedrock-testkit';
import { Withdrawals } from '../../../libs/lock/src/runtime/withdrawals.js';

describe('withdrawals that are drained', () => {
  it('use the rest of the time, though their pauses have grown', async () => {
    const clock = new ManualClock({ now: 0 });
    const upAt = 1_090;
    const withdrawnAt: number[] = [];
    const withdraw: LeaseDriver['withdraw'] = async () => {
      if (clock.now() < upAt) throw new BackendUnavailableError('test', 'it is down', 'no');
      withdrawnAt.push(clock.now());
      return 'released';
    };
    const withdrawals = new Withdrawals(clock, { withdraw }, 100);
    withdrawals.cancel({
      ref: { id: 'p:1', resource: 'lock', shape: MUTEX },
      keepMs: 0,
      leavesQueue: () => true,
      notBefore: 0,
      overAt: () => Infinity,
    });
    await clock.advance(1_060);
    const drained = withdrawals.drain(100);
    await clock.advance(100);
    await drained;
    expect(withdrawnAt).toHaveLength(1);
    expect(withdrawals.pending).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});
