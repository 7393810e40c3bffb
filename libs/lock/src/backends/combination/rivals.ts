import type { Clock } from '../../core/clock.js';
import type { Seal } from './bid.js';
import type { Member } from './member.js';

/** A refusal is remembered for this long, in ms: as long as others may stand in line for the resource. */
const CONTENDED_MS = 1_000;
const FEW = 1_024;

interface Note {
  /** Monotonic ms. */
  until: number;
  /** Who refused last. */
  refuser: Member;
  /** Where this process stands in line. */
  readonly standing: Set<Member>;
}

/** What is remembered of resources that others want too. */
export class Rivals {
  readonly #notes = new Map<string, Note>();
  #many = FEW;

  constructor(private readonly clock: Clock) {}

  /** Somebody was in the way lately: nodes are asked one after the other, so that those who come first get there first. */
  areThere(resource: string): boolean {
    const note = this.#notes.get(resource);
    return note !== undefined && note.until > this.clock.now();
  }

  refuserOf(resource: string): Member | undefined {
    return this.#notes.get(resource)?.refuser;
  }

  refused(resource: string, refuser: Member, standing: readonly Member[]): void {
    const until = this.clock.now() + CONTENDED_MS;
    let note = this.#notes.get(resource);
    if (note === undefined) {
      if (this.#notes.size >= this.#many) this.#forget();
      this.#notes.set(resource, (note = { until, refuser, standing: new Set() }));
    }
    note.until = until;
    note.refuser = refuser;
    for (const member of standing) note.standing.add(member);
  }

  /** Who is granted stands in line no more. */
  granted(resource: string, seals: readonly Seal[]): void {
    const standing = this.#notes.get(resource)?.standing;
    if (standing !== undefined) for (const { member } of seals) standing.delete(member);
  }

  /** Where this process stands in line, which it leaves. */
  leave(resource: string): readonly Member[] {
    const note = this.#notes.get(resource);
    if (note === undefined) return [];
    const left = [...note.standing];
    note.standing.clear();
    return left;
  }

  #forget(): void {
    const now = this.clock.now();
    for (const [resource, { until, standing }] of this.#notes)
      if (until <= now && standing.size === 0) this.#notes.delete(resource);
    // Where many are needed, they are not looked through at each new one.
    this.#many = Math.max(FEW, 2 * this.#notes.size);
  }
}
