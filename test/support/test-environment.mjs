import { TestEnvironment } from 'jest-environment-node';

/**
 * A test may take this many times its limit. The limits are meant for a machine that has nothing
 * else to do. They end a test that hangs; what a bound promises to users, a test asserts itself.
 */
const SPARE_FACTOR = 3;

/** The environment for Node, with longer limits for tests and hooks. */
export default class extends TestEnvironment {
  #extended = new WeakSet();

  handleTestEvent({ name, test, hook }, { testTimeout }) {
    if (name === 'test_fn_start') this.#extend(test, testTimeout);
    if (name === 'hook_start') this.#extend(hook, testTimeout);
  }

  /** Once: a hook runs before every test. */
  #extend(testOrHook, testTimeout) {
    if (this.#extended.has(testOrHook)) return;
    this.#extended.add(testOrHook);
    testOrHook.timeout = SPARE_FACTOR * (testOrHook.timeout ?? testTimeout);
  }
}
