import type { Bedrock } from 'bedrock-lock';
import type { ContractContext } from '../../context/contract-context.js';

/** What a caller has got. */
export interface Taken {
  release(): Promise<unknown>;
  /** Left out where no lease is renewed. */
  extend?(): Promise<unknown>;
}

/** A caller: its process, and the name at which processes meet. */
export interface Use {
  readonly context: ContractContext;
  readonly peer: Bedrock;
  readonly name: string;
  /** Ends its wait. */
  readonly signal?: AbortSignal;
}

/** What a call chain enters again. */
export interface Nestable {
  run(body: () => Promise<void>): Promise<void>;
  /** Its depths, as every process sees them. */
  depths(): Promise<readonly number[]>;
}

/** How a primitive is used. */
export interface Usage {
  /** Called once for each name, before everything else. */
  prepare?(use: Use): Promise<unknown>;
  /** Makes the callers of `take` wait. */
  hold(use: Use): Promise<Taken>;
  take(use: Use): Promise<Taken>;
  /** @default `take`, and the release */
  cycle?(use: Use): Promise<unknown>;
  /** Left out where a call chain cannot enter again. */
  nest?(use: Use): Nestable;
  /** Takes a lease that is renewed; left out for a primitive without one. */
  keep?(use: Use): Promise<Required<Taken>>;
  /** Called before `take`: resolves when its caller waits and polls; left out where the queue of its process tells. */
  polls?(use: Use): Promise<void>;
  /** Each cycle needs a name of its own. */
  readonly isUsedOnce?: boolean;
}
