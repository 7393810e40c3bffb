import {
  LockAbortedError,
  LockBusyError,
  LockNotHeldError,
  LockNotOwnerError,
  LockSelfDeadlockError,
  LockWaitTimeoutError,
} from '../../core/errors.js';
import type { ReleaseOutcome } from '../../core/events.js';
import { checkTime } from '../../core/checks.js';
import { callSettings, type CallOptions, type LockSettings } from '../../core/options/options.js';
import { withEitherSignal } from '../../runtime/abort-listeners.js';
import { currentFlow } from '../../engine/call-chain/flow.js';
import { Frame, frameOn } from '../../engine/call-chain/frames.js';
import type { LockEngine } from '../../engine/locking/lock-engine.js';
import { hasEnded, Acquirable, type KeyPart } from './acquirable.js';

export type { KeyPart };

/**
 * What all locks of one holder, or of several readers, have in common. A nested `run` of the same
 * call chain enters at once (re-entrant); parallel branches of one hold take turns. `acquire()`
 * from within one's own `run` would wait for itself.
 */
export abstract class Lock extends Acquirable {
  /** @internal Locks come from a `Bedrock`. */
  constructor(
    engine: LockEngine,
    name: string,
    resource: string,
    /** Its options, complete and frozen. */
    readonly settings: LockSettings,
  ) {
    super(engine, name, resource);
  }

  abstract override for(...key: [KeyPart, ...KeyPart[]]): Lock;

  /**
   * Locks for the current flow, as `java.util.concurrent.locks.Lock` does; each `lock()` needs its `unlock()`.
   * @throws LockFlowRequiredError outside of `runInFlow`; the errors of `acquire()`
   */
  async lock(options?: CallOptions): Promise<void> {
    const flow = currentFlow(this.resource);
    const settings = this.settingsOf(options);
    const frame = await withEitherSignal(flow.signal, options?.signal, (signal) =>
      this.enter(settings, signal),
    );
    if (flow.signal.aborted) {
      await frame.close();
      throw new LockAbortedError(this.resource, { cause: flow.signal.reason });
    }
    flow.push(this.engine, frame);
  }

  /**
   * Like `lock()`, but false when it was not granted within `waitMs`.
   * @param waitMs 0 by default: tries once
   * @throws LockFlowRequiredError, InvalidOptionError; the other errors of `acquire()`
   */
  async tryLock(waitMs = 0): Promise<boolean> {
    checkTime('waitMs', waitMs, 0);
    try {
      await this.lock({ waitMs });
      return true;
    } catch (error) {
      if (error instanceof LockBusyError || error instanceof LockWaitTimeoutError) return false;
      throw error;
    }
  }

  /**
   * Undoes the last `lock()` of the flow; never closes a `run`.
   * @throws LockFlowRequiredError outside of `runInFlow`; LockNotHeldError when no caller of this
   * process holds it, LockNotOwnerError when another flow does; LockLostError when the lease had
   * ended before
   */
  async unlock(): Promise<ReleaseOutcome> {
    const { resource } = this;
    const frame = currentFlow(resource).pop(this.engine, resource, this.settings.shape);
    if (frame === undefined) {
      throw this.engine.isHeldHere(resource)
        ? new LockNotOwnerError(resource)
        : new LockNotHeldError(resource);
    }
    const outcome = await frame.close();
    if (outcome === undefined ? hasEnded(frame.lease) : outcome === 'lost') throw frame.lease.lossError();
    return outcome ?? 'released';
  }

  /** True while a frame of this call chain holds the lock, by the clock. */
  get isHeldByCurrentFlow(): boolean {
    return this.depth > 0 && frameOn(this.engine, this.resource)!.lease.isHeld;
  }

  /** Open frames of this call chain's hold; 0 when it holds nothing. */
  get depth(): number {
    const frame = frameOn(this.engine, this.resource);
    return frame === undefined ? 0 : this.depthIn(frame);
  }

  /** @internal Open frames of a hold that count for this lock. */
  protected depthIn(frame: Frame): number {
    return frame.depth;
  }

  /** @internal */
  protected override settingsOf(options: CallOptions | undefined): LockSettings {
    const { traits, name } = this.engine.backend;
    return callSettings(this.settings, options, traits, name);
  }

  /** @internal */
  protected override enterNested(
    settings: LockSettings,
    signal: AbortSignal | undefined,
  ): Promise<Frame> | undefined {
    return frameOn(this.engine, this.resource) === undefined ? undefined : this.enter(settings, signal);
  }

  /** @internal */
  protected override assertAcquirable(): void {
    if (frameOn(this.engine, this.resource) !== undefined) throw new LockSelfDeadlockError(this.resource);
  }

  /**
   * @internal What may be entered from within one's own hold: anything, unless a kind says
   * otherwise. @throws LockError
   */
  protected assertNestable(_outer: Frame): void {}

  /**
   * @internal A level of this call chain's own hold where it has one, else a hold. @throws the
   * errors of `acquire()`
   */
  async enter(settings: LockSettings, signal: AbortSignal | undefined): Promise<Frame> {
    if (signal?.aborted === true) throw new LockAbortedError(this.resource, { cause: signal.reason });
    const outer = frameOn(this.engine, this.resource);
    if (outer !== undefined) {
      this.assertNestable(outer);
      if (!settings.reentrant) throw new LockSelfDeadlockError(this.resource);
      const enteredAt = this.engine.clock.now();
      const turn = await outer.openChild(settings, signal);
      if (turn !== 'orphaned') return this.#admitted(turn);
      // Continue in the ordinary queue, with the rest of the wait.
      const waitMs = Math.max(0, settings.waitMs - (this.engine.clock.now() - enteredAt));
      return this.enter({ ...settings, waitMs }, signal);
    }
    return Frame.root(this.engine, await this.engine.acquire(this.resource, settings, signal));
  }

  /** A caller that waited for a turn inside its own hold may find that hold changed. */
  #admitted(turn: Frame): Frame {
    try {
      this.assertNestable(turn);
      return turn;
    } catch (error) {
      void turn.close();
      throw error;
    }
  }
}
