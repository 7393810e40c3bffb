import type { OwnEntry } from '../../queue-store.js';
import type { ZooKeeperSession } from '../session/zookeeper-session.js';

/** An entry of this process, watched for changes by others. */
interface OwnEntryWatch {
  readonly entry: OwnEntry;
  /** The next write, where one is running. */
  nextWrite: (() => Promise<void>) | undefined;
  isWriting: boolean;
}

/** Reports when another process changes or removes an entry of this process; its own changes are not reported. */
export class OwnEntryWatches {
  readonly #watches = new Map<string, OwnEntryWatch>();

  constructor(private readonly onEntryChanged: (resource: string) => void) {}

  add(entry: OwnEntry): void {
    const watch: OwnEntryWatch = { entry, nextWrite: undefined, isWriting: false };
    this.#watches.set(entry.location, watch);
    this.#arm(watch);
  }

  remove(location: string): void {
    this.#watches.delete(location);
  }

  /** Writes by `write`, one after the other and the latest only. A write that fails is not repeated: it is for show. */
  write(entry: OwnEntry, write: () => Promise<void>): void {
    const watch = this.#watches.get(entry.location);
    if (watch === undefined) return;
    watch.nextWrite = write;
    if (!watch.isWriting) void this.#write(watch);
  }

  async #write(watch: OwnEntryWatch): Promise<void> {
    watch.isWriting = true;
    while (watch.nextWrite !== undefined && this.#isLive(watch)) {
      const write = watch.nextWrite;
      watch.nextWrite = undefined;
      // Data that differs from the last own write was changed by another process.
      await write().catch(() => this.onEntryChanged(watch.entry.resource));
    }
    watch.isWriting = false;
  }

  #arm(watch: OwnEntryWatch): void {
    const { location, session, resource } = watch.entry;
    const onChange = (): void => {
      if (!this.#isLive(watch)) return;
      this.#arm(watch);
      if (!watch.isWriting) this.onEntryChanged(resource);
    };
    (session as ZooKeeperSession).link.read(location, onChange).catch(() => {
      // The entry is gone, or there is no contact: the next renewal shows which, and is due now.
      if (this.#isLive(watch)) this.onEntryChanged(resource);
    });
  }

  #isLive(watch: OwnEntryWatch): boolean {
    return this.#watches.get(watch.entry.location) === watch;
  }
}
