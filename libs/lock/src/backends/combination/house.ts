import { InvalidOptionError } from '../../core/errors.js';
import type { NodeChange, NodeMonitor, NodeView } from '../../core/ports/node.js';
import type { CombinationTerms } from './combination-options.js';
import { Member, type MemberHouse } from './member.js';

/** The nodes of a combination in their one order, which is that of their ids: the same in every process. */
export class House implements NodeMonitor, MemberHouse {
  readonly members: readonly Member[];
  isClosed = false;
  readonly #listeners = new Set<(change: NodeChange) => void>();

  constructor(
    readonly terms: CombinationTerms,
    readonly processId: string,
  ) {
    const members = terms.nodes.map((backend) => new Member(backend, this));
    members.forEach(({ id }, i) => {
      if (id === '')
        throw new InvalidOptionError(`nodes[${i}].nodeId`, 'given, since nothing else tells it', '');
      if (members.findIndex((other) => other.id === id) < i)
        throw new InvalidOptionError(`nodes[${i}]`, 'another node than those before it', id);
    });
    this.members = members.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Who is worth asking, from left to right. When that are too few, all of them: one may be back. */
  get askable(): readonly Member[] {
    const available = this.members.filter(({ isAvailable }) => isAvailable);
    if (available.length >= this.terms.minNodes) return available;
    // Two grants of one server are one: it must not be counted twice, whatever happens.
    return this.members.filter((member) => this.twinOf(member) === undefined);
  }

  twinOf(member: Member): Member | undefined {
    return this.members.find((other) => other.isTwinOf(member) && other.id < member.id);
  }

  views(): readonly NodeView[] {
    return this.members.map(({ view }) => view);
  }

  onChange(listener: (change: NodeChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  changed(change: NodeChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
