import type { Backend } from 'bedrock-lock';
import type { RunningServer } from 'bedrock-servers';

/** The place of the contention: the servers of one engine, and an observer of their data. */
export interface EngineFixture {
  readonly engine: 'zookeeper' | 'etcd' | 'mysql' | 'postgres';
  /** The server that faults hit; of an ensemble, the one that leads now. */
  target(): Promise<RunningServer>;
  /** Options of a backend; through `port`, where there is one server. */
  optionsFor(port: number): object;
  /** Data left of resources with this name, and of processes, in words. */
  remaining(resource: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** One of a database, with connections as its users have them. */
export interface SqlEngineFixture extends EngineFixture {
  /** A backend that has no connection yet. */
  newBackend(): Backend;
  /** A connection of a user's. Rejects where the server has no more of them. */
  connect(): Promise<UserConnection>;
  /** Statements after which only their own connection reads or writes the rows of locks. */
  readonly lockAll: readonly string[];
  /** A statement that locks the row of a resource, whose name needs no care, in a transaction. */
  lockRow(resource: string): string;
  /** Deadlocks that the server has detected so far. */
  deadLocks(): Promise<number>;
}

/** A connection that has nothing to do with the backend's. */
export interface UserConnection {
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

/** More than the storm needs, and so few that a user can have them all. */
export const MAX_CONNECTIONS = 100;
