import { mayHaveActed } from '../../core/unavailable.js';
import { unanswered } from './failures.js';
import { isFault, NodeFault, type NodeStat, type Step, type StepResult } from './link.js';

/** Single requests of a session, sent at once. */
export interface SingleCalls {
  create(step: CreateStep): Promise<string>;
  remove(path: string): Promise<void>;
  write(path: string, data: Buffer, version: number): Promise<NodeStat>;
  /** Undefined where there is no such node. */
  find(path: string): Promise<{ readonly data: Buffer; readonly stat: NodeStat } | undefined>;
}

export type CreateStep = Extract<Step, { readonly kind: 'create' }>;
type CheckStep = Extract<Step, { readonly kind: 'check' | 'remove' }>;

/** A move of which it is not known how far it got. */
interface Doubt {
  readonly from: string;
  readonly to: string;
  /** The new place is known to count. */
  isMade: boolean;
}

/**
 * What a line needs of transactions, for a client without them: a place that is made, moved or checked, with a write that
 * proves contact. In whatever is seen in between the line is fuller than it should be, which lets nobody in.
 */
export class NativeSteps {
  #doubts: Doubt[] = [];
  #settling: Promise<void> | undefined;

  constructor(private readonly calls: SingleCalls) {}

  /** To be awaited before anything else is sent, where there is something. */
  settled(): Promise<void> | undefined {
    if (this.#doubts.length > 0) {
      this.#settling ??= this.#settle().finally(() => (this.#settling = undefined));
    }
    return this.#settling;
  }

  run(steps: readonly Step[]): Promise<readonly StepResult[]> {
    const [first, second] = steps;
    const proof = steps.at(-1);
    if (proof?.kind !== 'write') throw new TypeError('no write at the end');
    const prove = (): Promise<NodeStat> =>
      this.calls.write(proof.path, proof.data, proof.version).catch((error: unknown) => {
        throw isFault(error, 'NO_NODE') ? new NodeFault('NO_NODE', steps.length - 1) : error;
      });
    if (first?.kind === 'create') return this.#make(first, prove);
    if (first?.kind === 'remove' && second?.kind === 'create') return this.#move(first, second, prove);
    return this.#check(steps.slice(0, -1) as CheckStep[], prove);
  }

  async #make(place: CreateStep, prove: () => Promise<NodeStat>): Promise<readonly StepResult[]> {
    const [made, proven] = await Promise.allSettled([this.calls.create(place), prove()]);
    if (made.status === 'rejected') throw made.reason;
    // The place is there all the same, and is to be looked for.
    if (proven.status === 'rejected') throw unanswered('a place was made without a proof', proven.reason);
    return [{ path: made.value }, { stat: proven.value }];
  }

  /** What is read after the write is not older than that. */
  async #check(places: readonly CheckStep[], prove: () => Promise<NodeStat>): Promise<readonly StepResult[]> {
    const proving = prove();
    const looking = places.map(({ path }) => this.calls.find(path));
    const [proven, ...looks] = await Promise.allSettled([proving, ...looking]);
    if (proven.status === 'rejected') throw proven.reason;
    for (const [i, look] of looks.entries()) {
      if (look.status === 'rejected') throw look.reason;
      if (look.value === undefined) throw new NodeFault('NO_NODE', i);
      if (look.value.stat.version !== places[i]!.version) throw new NodeFault('BAD_VERSION', i);
    }
    return [...places.map(() => ({})), { stat: proven.value }];
  }

  /**
   * The new place is made, then the old one is marked: that it could be proves that it stood all the time until there was
   * another. From then on the new one counts, and the old one is removed.
   */
  async #move(
    { path: from, version }: CheckStep,
    place: CreateStep,
    prove: () => Promise<NodeStat>,
  ): Promise<readonly StepResult[]> {
    const stat = await prove();
    const doubt: Doubt = { from, to: place.path, isMade: false };
    try {
      await this.calls.create(place);
      await this.calls.write(from, markOf(doubt), version);
      doubt.isMade = true;
      await this.#drop(from);
    } catch (error) {
      if (mayHaveActed(error)) this.#doubts.push(doubt);
      else if (!doubt.isMade) await this.#undo(doubt);
      throw error;
    }
    return [{}, { path: place.path }, { stat }];
  }

  async #undo(doubt: Doubt): Promise<void> {
    try {
      await this.#drop(doubt.to);
    } catch (error) {
      this.#doubts.push(doubt);
      throw error;
    }
  }

  /**
   * Requests of a session are executed in order, so that what is found is what has become of it. An old place that went
   * without a known mark has ended with its session or by force: nobody may come back in its rank.
   */
  async #settle(): Promise<void> {
    for (let doubt = this.#doubts[0]; doubt !== undefined; doubt = this.#doubts[0]) {
      if (!doubt.isMade) {
        const old = await this.calls.find(doubt.from);
        doubt.isMade = old?.data.equals(markOf(doubt)) === true;
      }
      await this.#drop(doubt.isMade ? doubt.from : doubt.to);
      this.#doubts.shift();
    }
  }

  async #drop(path: string): Promise<void> {
    try {
      await this.calls.remove(path);
    } catch (error) {
      if (!isFault(error, 'NO_NODE')) throw error;
    }
  }
}

function markOf({ to }: Doubt): Buffer {
  return Buffer.from(`moved to ${to}`);
}
