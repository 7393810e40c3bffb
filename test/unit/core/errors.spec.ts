import { describe, expect, it } from '@jest/globals';
import {
  BackendUnavailableError,
  InvalidOptionError,
  LockBusyError,
  LockError,
  LockLostError,
  LockWaitTimeoutError,
} from 'bedrock-lock';
import { describe as picture } from '../../../libs/lock/src/core/errors.js';

const HOLDER_ID = '3f2a9c1d-0000-4000-8000-000000000000:7';

describe('a lock error', () => {
  it('says who holds the lock and for how long', () => {
    const holder = {
      id: HOLDER_ID,
      remainingMs: 1_234.5,
      process: { host: 'web-1', pid: 77, label: 'checkout' },
    };
    const error = new LockWaitTimeoutError('orders:42', 5_000.4, holder);
    expect(error.message).toBe(
      '"orders:42" was not granted in 5000 ms (held by checkout 77@web-1, lease ends in 1235 ms); ' +
        "raise waitMs or shorten the holder's work",
    );
    expect(error).toMatchObject({
      code: 'LOCK_WAIT_TIMEOUT',
      resource: 'orders:42',
      holder,
      name: 'LockWaitTimeoutError',
    });
  });

  it('shows no more than eight characters of a holder id', () => {
    expect(new LockBusyError('a', { id: HOLDER_ID, remainingMs: 1 }).message).toContain('3f2a9c1d…');
    expect(new LockBusyError('a', { id: HOLDER_ID, remainingMs: 1 }).message).not.toContain(HOLDER_ID);
  });

  it('keeps the cause of an unavailable backend and says whether it may have acted', () => {
    const cause = new Error('ECONNREFUSED');
    const error = new BackendUnavailableError('redis', 'no connection', 'no', { cause });
    expect(error).toMatchObject({ cause, executed: 'no', code: 'BACKEND_UNAVAILABLE' });
  });

  it('tells what to do about each kind of loss', () => {
    for (const reason of ['expired', 'taken', 'revoked', 'maxHold', 'suspended', 'closed'] as const) {
      const error = new LockLostError('a', reason, 12);
      expect(error).toBeInstanceOf(LockError);
      expect(error.message).toMatch(/^"a" was lost after 12 ms: .{20,}$/);
    }
  });
});

describe('the picture of a bad value', () => {
  it('is short and never calls user code', () => {
    const hostile = {
      toString: () => {
        throw new Error('called');
      },
      toJSON: () => {
        throw new Error('called');
      },
    };
    expect(picture(hostile)).toBe('an object');
    expect(picture('x'.repeat(1_000_000)).length).toBeLessThan(80);
    expect(picture(Symbol('secret'))).toBe('a symbol');
    expect(picture(10n ** 500n).length).toBeLessThanOrEqual(60);
    expect(new InvalidOptionError('leaseMs', 'a number', [1, 2]).message).toBe(
      'leaseMs must be a number; got an array',
    );
  });
});
