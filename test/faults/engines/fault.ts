import type { ContenderProcess } from 'bedrock-testkit';
import type { RunningServer, TcpProxy } from 'bedrock-servers';
import type { ContenderPool, PoolJob } from './contender-pool.js';
import type { EngineFixture } from './engine-fixture.js';

/** What a fault is injected into. */
export interface InjectionDeps<G extends EngineFixture = EngineFixture> {
  readonly fixture: G;
  readonly pool: ContenderPool;
  /** What they contend for. */
  readonly resource: string;
  /** What every other process goes through, where there is one server. */
  readonly proxy: TcpProxy;
  readonly server: RunningServer;
  /** Holds the lock for long, and has just got it. */
  readonly holder: ContenderProcess;
  /** How often the fault has struck before. */
  readonly round: number;
}

export interface Fault<G extends EngineFixture = EngineFixture> {
  readonly name: string;
  /**
   * The effect that proves that the fault has struck. `waits at most`: no lease is lost, and no caller is refused for
   * lack of a backend.
   * @default 'anything'
   */
  readonly brings?: 'anything' | 'losses' | 'losses or failures' | 'waits at most';
  /** In how many ways it strikes by turns. @default 1 */
  readonly variants?: number;
  /** The contenders. @default two with short holds, and one with long ones */
  readonly jobs?: (resource: string, leaseMs: number) => readonly PoolJob[];
  /** @default 800 */
  readonly leaseMs?: number;
  /** How long callers wait. @default leaseMs + 1 700 */
  readonly waitMs?: number;
  /** Bound on every call to the server. @default 400 */
  readonly operationMs?: number;
  /** More options of the backends. */
  readonly options?: object;
  /** Resolves when what was broken is whole again. Rejects when something else is seen than what was to be. */
  inject(deps: InjectionDeps<G>): Promise<void>;
}
