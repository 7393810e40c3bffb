import type { DistributedLockOptions } from 'nestjs-bedrock';

// @ts-expect-error a key that is no part of a name
const key: DistributedLockOptions = { lock: 'a', key: () => ({}) };
// @ts-expect-error a signal would be shared by all calls
const signal: DistributedLockOptions = { lock: 'a', signal: new AbortController().signal };
// @ts-expect-error skipping a loss would hide it
const lost: DistributedLockOptions = { lock: 'a', onLost: 'skip' };
export const options = [key, signal, lost];
