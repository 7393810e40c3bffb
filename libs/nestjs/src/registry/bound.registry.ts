import { isLockRegistry, type LockRegistry } from './lock.registry.js';
import { LOCKS } from '../core/lock.constants.js';
import { recordingOf, setTestMode, type TestMode } from './test.mode.js';

/** Registries of the open test modules, in creation order. */
const openTestRegistries: LockRegistry[] = [];

/**
 * The registry of an object with decorated methods; never a double that a test has put in its place. For an object that
 * Nest did not create, or that got such a double, the registry of the newest open test module.
 */
export function registryOf(self: object): LockRegistry | undefined {
  const given = (self as { [LOCKS]?: unknown } | undefined)?.[LOCKS];
  return isLockRegistry(given) ? given : openTestRegistries.at(-1);
}

export async function enterTestMode(registry: LockRegistry, mode: TestMode): Promise<void> {
  setTestMode(registry, mode);
  openTestRegistries.push(registry);
  const recording = [recordingOf(mode)];
  for (const backend of registry.backends) await registry.record(registry.bedrock(backend), recording);
}

export function leaveTestMode(registry: LockRegistry): void {
  const index = openTestRegistries.indexOf(registry);
  if (index >= 0) openTestRegistries.splice(index, 1);
}
