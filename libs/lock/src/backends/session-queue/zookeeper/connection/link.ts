/** What a server says about a node. */
export interface NodeStat {
  /** Number of the change that wrote its data last. */
  readonly mzxid: number;
  /** When that was, by the leader's clock, in epoch ms. */
  readonly mtimeMs: number;
  /** Number of the change that added or removed a child last. */
  readonly pzxid: number;
  readonly version: number;
  readonly childCount: number;
}

/** One step of several that are all done, or none. A version of -1 fits any. */
export type TransactionStep =
  | { readonly kind: 'create'; readonly path: string; readonly data: Buffer; readonly mode: NodeMode }
  | { readonly kind: 'check' | 'remove'; readonly path: string; readonly version: number }
  | { readonly kind: 'write'; readonly path: string; readonly data: Buffer; readonly version: number };

/** `container`: the server removes it some time after its last child has gone. */
export type NodeMode = 'persistent' | 'container' | 'ephemeral' | 'ephemeralSequential';

/** The result of a step: the path of a created node, the stat of a written one. */
export interface StepResult {
  readonly path?: string;
  readonly stat?: NodeStat;
}

/** The answers of the server that are no success. */
export type FaultCode = 'NO_NODE' | 'NODE_EXISTS' | 'NOT_EMPTY' | 'BAD_VERSION';

/** The server has answered, and has done nothing. */
export class NodeFault extends Error {
  constructor(
    readonly code: FaultCode,
    /** Which of several steps it was. */
    readonly step = 0,
  ) {
    super(code);
    this.name = 'NodeFault';
  }
}

export function isFault(error: unknown, code: FaultCode): error is NodeFault {
  return error instanceof NodeFault && error.code === code;
}

/** What a link tells without being asked. */
export interface LinkListener {
  /** There is contact again, within the same session. */
  reconnected(): void;
  /** No contact: events may be missed. The session may go on. */
  suspended(): void;
  /** The server has ended the session: its ephemeral nodes and watches are gone. */
  expired(): void;
}

/**
 * One session of ZooKeeper, on one connection at a time. Requests are sent at once or not at all, and executed in their
 * order; every call settles in time.
 * @throws NodeFault, or BackendUnavailableError where there is no answer
 */
export interface ZooKeeperLink {
  /** What the server has granted, in ms; 0 before that. */
  readonly sessionTimeoutMs: number;
  /** Resolves with the first contact. @throws BackendUnavailableError after `ms` */
  whenConnected(ms: number): Promise<void>;
  create(path: string, data: Buffer, mode: NodeMode): Promise<void>;
  remove(path: string): Promise<void>;
  write(path: string, data: Buffer, version: number): Promise<NodeStat>;
  /** @param onChange called once when the data changes or the node is removed */
  read(path: string, onChange?: () => void): Promise<{ readonly data: Buffer; readonly stat: NodeStat }>;
  /** @param onChange called once when a child is added or removed, or the node is removed */
  children(
    path: string,
    onChange?: () => void,
  ): Promise<{ readonly names: string[]; readonly stat: NodeStat }>;
  /** Whether there is such a node. @param onChange called once when it comes, changes or goes */
  exists(path: string, onChange: () => void): Promise<boolean>;
  /** Later reads return nothing older than this call. */
  sync(path: string): Promise<void>;
  multi(steps: readonly TransactionStep[]): Promise<readonly StepResult[]>;
  /** Ends the session. Never throws. */
  close(): Promise<void>;
}
