import type { OwnPlace } from '../../line-store.js';
import type { ZooKeeperSession } from '../session/zookeeper-session.js';

/** A place of this process that is watched for what others do to it. */
interface Guard {
  readonly place: OwnPlace;
  /** The next note, where one is being written. */
  next: (() => Promise<void>) | undefined;
  isNoting: boolean;
}

/** Tells when somebody else changes or removes a place of this process; what this process does itself is no news. */
export class Guards {
  readonly #guards = new Map<string, Guard>();

  constructor(private readonly onTouched: (resource: string) => void) {}

  begin(place: OwnPlace): void {
    const guard: Guard = { place, next: undefined, isNoting: false };
    this.#guards.set(place.at, guard);
    this.#arm(guard);
  }

  end(at: string): void {
    this.#guards.delete(at);
  }

  /** Writes by `write`, one after the other and the latest only. A write that fails is not repeated: it is for show. */
  note(place: OwnPlace, write: () => Promise<void>): void {
    const guard = this.#guards.get(place.at);
    if (guard === undefined) return;
    guard.next = write;
    if (!guard.isNoting) void this.#write(guard);
  }

  async #write(guard: Guard): Promise<void> {
    guard.isNoting = true;
    while (guard.next !== undefined && this.#isLive(guard)) {
      const write = guard.next;
      guard.next = undefined;
      // What was found otherwise than it was left has been changed by somebody else.
      await write().catch(() => this.onTouched(guard.place.resource));
    }
    guard.isNoting = false;
  }

  #arm(guard: Guard): void {
    const { at, session, resource } = guard.place;
    const touched = (): void => {
      if (!this.#isLive(guard)) return;
      this.#arm(guard);
      if (!guard.isNoting) this.onTouched(resource);
    };
    (session as ZooKeeperSession).link.read(at, touched).catch(() => {
      // It is gone, or there is no contact: both come out at the next renewal, which is due now.
      if (this.#isLive(guard)) this.onTouched(resource);
    });
  }

  #isLive(guard: Guard): boolean {
    return this.#guards.get(guard.place.at) === guard;
  }
}
