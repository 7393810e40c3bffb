import type { ReadWriteSettings } from '../../core/options/read-write-options.js';
import type { LockEngine } from '../../engine/locking/lock-engine.js';
import type { KeyPart } from './lock.js';
import { ReadLock } from './read-lock.js';
import { WriteLock } from './write-lock.js';

/**
 * Many readers or one writer at a time, across all processes that use the same backend. No caller
 * starves: a caller that comes while a writer waits goes behind it. A writer may read, and may
 * continue as a reader; a reader may not begin to write. Created once by
 * `bedrock.readWriteLock(name)` and used everywhere.
 */
export class ReadWriteLock {
  readonly read: ReadLock;
  readonly write: WriteLock;
  readonly #engine: LockEngine;

  /** @internal Locks come from a `Bedrock`. */
  constructor(
    engine: LockEngine,
    /** The name it was created with. */
    readonly name: string,
    /** The locked resource: prefix, name and key parts. */
    readonly resource: string,
    /** Its options, complete and frozen, for either side. */
    readonly settings: ReadWriteSettings,
  ) {
    this.#engine = engine;
    this.read = new ReadLock(engine, name, resource, settings.read);
    this.write = new WriteLock(engine, name, resource, settings.write);
  }

  /**
   * Narrows both sides to one entity, as `Lock.for()` does.
   * @throws InvalidOptionError for a part that is empty, no text, or makes the name longer than 512 characters
   */
  for(...key: [KeyPart, ...KeyPart[]]): ReadWriteLock {
    const { resource } = this.read.for(...key);
    return new ReadWriteLock(this.#engine, this.name, resource, this.settings);
  }
}
