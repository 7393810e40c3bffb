import type { Shape } from '../../core/claim.js';
import type { Unsubscribe } from '../../core/ports/ports.js';
import type { Member } from './member.js';

/** Waits for one resource where others were in the way: a release is told by the node that refused, and by no other. */
export class Watch {
  readonly #at = new Map<Member, Promise<Unsubscribe>>();
  #isOver = false;

  constructor(
    private readonly resource: string,
    private readonly shape: Shape,
    private readonly wake: () => void,
  ) {}

  /** Resolves when this node tells. @throws BackendUnavailableError when it does not */
  async begin(member: Member): Promise<void> {
    const made = member.node.leases.watch(this.resource, this.shape, this.wake);
    this.#at.set(member, made);
    try {
      await made;
    } catch (error) {
      this.#at.delete(member);
      throw error;
    }
  }

  /** Another node is in the way now: listens there too. What it told before nobody has heard, so it is asked again. */
  follow(member: Member): void {
    if (this.#isOver || this.#at.has(member)) return;
    this.begin(member).then(this.wake, () => undefined);
  }

  end(): void {
    this.#isOver = true;
    for (const made of this.#at.values()) made.then((unsubscribe) => unsubscribe()).catch(() => undefined);
    this.#at.clear();
  }
}
