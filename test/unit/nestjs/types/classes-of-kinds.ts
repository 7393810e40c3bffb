import type { Mutex, Semaphore } from 'bedrock-lock';
import { lockWhile, type LockOf } from 'nestjs-bedrock';

export const watch = (mutex: Mutex, semaphore: LockOf<'semaphore'>): readonly unknown[] => {
  const same: Semaphore = semaphore;
  // @ts-expect-error a mutex has no permits
  return [lockWhile(same, { permits: 2 }), lockWhile(mutex, { permits: 2 })];
};
