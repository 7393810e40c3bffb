import { AsyncLocalStorage } from 'node:async_hooks';
import { WRITER, type HolderView, type Shape } from '../../core/claim.js';
import { LockAbortedError, LockBusyError, LockClosedError, LockWaitTimeoutError } from '../../core/errors.js';
import type { ReleaseOutcome } from '../../core/events.js';
import { onePerProcess } from '../../runtime/one-per-process.js';
import type { LockSettings } from '../../core/options/options.js';
import type { Lease } from '../holding/lease.js';
import type { LockEngine } from '../locking/lock-engine.js';
import { QueuedSynchronizer, type Waiter, type QueueOwner } from '../waiting/queued-synchronizer.js';
import type { LeaveReason } from '../waiting/waiter-registry.js';
import { WriteLease } from '../holding/write-lease.js';

/** What a queued sibling gets: its own frame, or `orphaned` when the frame that it waited in has closed. */
type SiblingTurn = Frame | 'orphaned';

/** All frames of one outermost hold. */
class FrameTree {
  openFrames = 0;
  /** The lease, where it is that of a writer. */
  readonly #writeLease: WriteLease | undefined;

  constructor(
    readonly engine: LockEngine,
    readonly lease: Lease,
  ) {
    this.#writeLease = lease instanceof WriteLease ? lease : undefined;
  }

  /** Open frames that write. */
  get writers(): number {
    return this.#writeLease?.isExclusive === true ? this.#writeLease.writers : 0;
  }

  get resource(): string {
    return this.lease.resource;
  }

  onOpened(shape: Shape): void {
    this.openFrames += 1;
    if (shape === WRITER) this.#writeLease!.writers += 1;
  }

  /** The outcome when the last frame releases, or when the last one that writes leaves others that read. */
  onClosed(shape: Shape): Promise<ReleaseOutcome> | undefined {
    this.openFrames -= 1;
    if (shape === WRITER) this.#writeLease!.writers -= 1;
    if (this.openFrames === 0) return this.lease.release();
    this.announceDepth();
    return shape === WRITER && this.writers === 0 ? this.#downgrade(this.#writeLease!) : undefined;
  }

  /** Tells the backend the depth; informative. */
  announceDepth(): void {
    this.engine.backend.leases.annotate(this.lease.hold, { depth: this.openFrames });
  }

  #downgrade(lease: WriteLease): Promise<ReleaseOutcome> | undefined {
    if (!lease.isExclusive || !lease.isHeld) return undefined;
    return lease.downgrade().then(
      () => 'released',
      () => (lease.isLost ? 'lost' : 'unconfirmed'),
    );
  }
}

/**
 * One level of a hold in an asynchronous call chain: the holder, what a thread is in Java. It has one open child at a
 * time; further children take turns. The lock stays until the last open frame of the tree closes.
 */
export class Frame implements QueueOwner<SiblingTurn> {
  isOpen = true;
  /** Its link in the call chain of its body. */
  link: Link | undefined;
  #child: Frame | undefined;
  #siblings: QueuedSynchronizer<SiblingTurn> | undefined;
  readonly #tree: FrameTree;
  #parent: Frame | undefined;

  private constructor(
    tree: FrameTree,
    parent: Frame | undefined,
    /** What was asked for: a writer may also read. */
    readonly shape: Shape,
  ) {
    this.#tree = tree;
    this.#parent = parent;
    tree.onOpened(shape);
    if (parent !== undefined) {
      parent.#child = this;
      tree.announceDepth();
    }
  }

  /** The outermost frame of a fresh lease. */
  static root(engine: LockEngine, lease: Lease): Frame {
    return new Frame(new FrameTree(engine, lease), undefined, lease.settings.shape);
  }

  get lease(): Lease {
    return this.#tree.lease;
  }

  get resource(): string {
    return this.#tree.resource;
  }

  /** Open frames of the whole hold. */
  get depth(): number {
    return this.#tree.openFrames;
  }

  /** Of these, the ones that write; 0 once the hold was downgraded. */
  get writers(): number {
    return this.#tree.writers;
  }

  /** True when a nested call may enter here: open, and its lease not given back by hand. */
  covers(engine: LockEngine, resource: string): boolean {
    const { lease } = this.#tree;
    return (
      this.isOpen && this.#tree.engine === engine && lease.resource === resource && lease.ended === undefined
    );
  }

  /** True below the other frame, at any depth. */
  isWithin(other: Frame): boolean {
    for (let above = this.#parent; above !== undefined; above = above.#parent)
      if (above === other) return true;
    return false;
  }

  /**
   * Opens a child, at once when there is none, else when the open one closes.
   * @throws LockLostError when the lease is over; LockBusyError, LockWaitTimeoutError,
   * LockAbortedError, QueueFullError like any wait
   */
  async openChild(settings: LockSettings, signal: AbortSignal | undefined): Promise<SiblingTurn> {
    this.lease.assertHeld();
    if (this.#child === undefined) return new Frame(this.#tree, this, settings.shape);
    if (settings.waitMs === 0) throw new LockBusyError(this.resource, this.#holder);
    this.#siblings ??= new QueuedSynchronizer<SiblingTurn>(this.#tree.engine.registry, this);
    const turn = await this.#siblings.enqueue({ settings, signal, triesOnce: false });
    if (turn !== 'orphaned' && !this.lease.isHeld) {
      await turn.close();
      this.lease.assertHeld();
    }
    return turn;
  }

  /**
   * Closes for good. The last open frame of the tree releases the lock, the last one that writes
   * downgrades it; the outcome is undefined for the others.
   */
  close(): Promise<ReleaseOutcome> | undefined {
    if (!this.isOpen) return undefined;
    this.isOpen = false;
    // What was begun inside may go on for long, and would keep the lease alive.
    if (this.link !== undefined) this.link.frame = undefined;
    // Queued children of a closed frame go to the ordinary queue.
    while (this.#siblings?.head !== undefined) this.#siblings.dequeue().resolve('orphaned');
    this.#detach();
    return this.#tree.onClosed(this.shape);
  }

  rejectionFor(waiter: Waiter<SiblingTurn>, reason: LeaveReason): Error {
    const { resource } = this;
    if (reason === 'aborted') return new LockAbortedError(resource, { cause: waiter.signal?.reason });
    if (reason === 'closed') return new LockClosedError(resource);
    const waitedMs = this.#tree.engine.clock.now() - waiter.enqueuedAt;
    return new LockWaitTimeoutError(resource, waitedMs, this.#holder);
  }

  onEnqueued(): void {}

  onLeft(): void {}

  get #holder(): HolderView {
    const { hold, remainingMs } = this.lease;
    return { id: hold.id, remainingMs };
  }

  /** Leaves its place under its parent to its child, if that is open, or else to the next in the queue. */
  #detach(): void {
    const [parent, child] = [this.#parent, this.#child];
    if (child !== undefined) child.#parent = parent;
    if (parent === undefined) return;
    parent.#child = child;
    if (child === undefined) parent.#nextSibling();
  }

  #nextSibling(): void {
    const next = this.#siblings?.head === undefined ? undefined : this.#siblings.dequeue();
    next?.resolve(new Frame(this.#tree, this, next.settings.shape));
  }
}

/** What else a chain may carry: frames that are not bound to a block of code. */
export interface FrameSource {
  readonly isHolding: boolean;
  /** Nothing will be locked under it any more, and nothing is. */
  readonly isOver: boolean;
  frameOn(engine: LockEngine, resource: string): Frame | undefined;
}

/** A link of the call chain: a frame of a `run`, or an explicit flow. Innermost first. */
export interface Link {
  /** Undefined once it is closed. */
  frame: Frame | undefined;
  readonly flow: FrameSource | undefined;
  outer: Link | undefined;
}

// One chain for the whole process, changed by `run` only (never `enterWith`): what a branch opens,
// its siblings do not see.
const chain = onePerProcess('callChain', () => new AsyncLocalStorage<Link>());

export function innermostLink(): Link | undefined {
  return chain.getStore();
}

/**
 * The chain of this call without the links that have ended, which no lookup needs. A job that was
 * started inside of a `run` and schedules its successor would otherwise carry them along forever.
 */
function openChain(): Link | undefined {
  const innermost = firstOpenLink(chain.getStore());
  for (let link = innermost; link !== undefined; link = link.outer) link.outer = firstOpenLink(link.outer);
  return innermost;
}

function firstOpenLink(link: Link | undefined): Link | undefined {
  while (link !== undefined && isOver(link)) link = link.outer;
  return link;
}

function isOver({ frame, flow }: Link): boolean {
  return frame?.isOpen !== true && flow?.isOver !== false;
}

export function withFrame<T>(frame: Frame, body: () => T): T {
  return chain.run(linkOf(frame, openChain()), body);
}

function linkOf(frame: Frame, outer: Link | undefined): Link {
  frame.link = { frame, flow: undefined, outer };
  return frame.link;
}

/** As `withFrame()`, with at least one: the last is the innermost. */
export function withFrames<T>(frames: readonly Frame[], body: () => T): T {
  let link = openChain();
  for (const frame of frames) link = linkOf(frame, link);
  return chain.run(link!, body);
}

export function withFlow<T>(flow: FrameSource, body: () => T): T {
  return chain.run({ frame: undefined, flow, outer: openChain() }, body);
}

/** The nearest open frame of this call chain on the resource. */
export function frameOn(engine: LockEngine, resource: string): Frame | undefined {
  let nearest: Frame | undefined;
  for (let link = chain.getStore(); link !== undefined; link = link.outer) {
    if (nearest !== undefined && link.flow === undefined) continue;
    const frame = link.frame ?? link.flow?.frameOn(engine, resource);
    if (frame?.covers(engine, resource) !== true) continue;
    // What lock() opened inside of a run is deeper than that run, though its flow stands further out.
    if (nearest === undefined || frame.isWithin(nearest)) nearest = frame;
  }
  return nearest;
}

/** The leases of all open runs of this call chain on the resource, innermost first: each has permits of its own. */
export function* leasesOn(engine: LockEngine, resource: string): Generator<Lease> {
  for (let link = chain.getStore(); link !== undefined; link = link.outer) {
    if (link.frame?.covers(engine, resource) === true) yield link.frame.lease;
  }
}

/**
 * The lease of the innermost open `run` of this call chain, whatever its lock. Undefined outside,
 * also in a bare flow.
 */
export function currentLease(): Lease | undefined {
  for (let link = chain.getStore(); link !== undefined; link = link.outer) {
    if (link.frame?.isOpen === true) return link.frame.lease;
  }
  return undefined;
}
