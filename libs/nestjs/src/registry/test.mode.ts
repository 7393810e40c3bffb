import type { RecordedLocks } from '../core/recorded.locks.js';
import type { Telemetry } from '../options/bedrock-lock.options.js';

/** How a test runs the methods and locks of one registry. */
export interface TestMode {
  readonly recorded: RecordedLocks;
  /** False: bodies run without any lock, even under unregistered names. */
  readonly isLocking: boolean;
  /** Replaces an injected lock or idempotency. */
  readonly wrap: <T extends { readonly name: string }>(one: T) => T;
}

const modes = new WeakMap<object, TestMode>();

export function setTestMode(registry: object, mode: TestMode): void {
  modes.set(registry, mode);
}

/** Records waits and holds under the names of the decorated methods, as telemetry does. */
export function recordingOf({ recorded }: TestMode): Telemetry {
  return {
    start: (bedrock) => ({
      stop: recorded.listenTo(bedrock),
      inMethod: (method, fn) => recorded.as(`${method}()`, fn),
    }),
  };
}

/** Undefined outside of tests. */
export function testModeOf(registry: object): TestMode | undefined {
  return modes.get(registry);
}

/** True in a test that wants no locks. */
export function isWithoutLocks(registry: object): boolean {
  return modes.get(registry)?.isLocking === false;
}

/** The object that application code gets: in a test a recording double, otherwise the object itself. */
export function exposed<T extends { readonly name: string }>(registry: object, one: T): T {
  return modes.get(registry)?.wrap(one) ?? one;
}
