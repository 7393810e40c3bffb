import { BackendUnavailableError, type Backend } from 'bedrock-lock';
import type { Claim, Verdict } from 'bedrock-lock/backend';
import {
  postgres,
  postgresSession,
  type PostgresBackend,
  type PostgresOptions,
  type PostgresSessionOptions,
} from 'bedrock-lock/postgres';
import { startPostgres, type RunningServer } from 'bedrock-servers';
import { claimOf, eventually, refusalOf } from 'bedrock-testkit';
import { Pool } from 'pg';
import { OPERATION_TIMEOUT_MS } from '../../../../contract/times.js';

/** A server of its own with the tables, an observer that looks at it, and backends that are closed after each test. */
export class PostgresFixture {
  server!: RunningServer;
  observer!: Pool;
  readonly #backends: Backend[] = [];

  async start(...args: Parameters<typeof startPostgres>): Promise<void> {
    this.server = await startPostgres(...args);
    this.observer = new Pool({ connectionString: this.server.url, max: 4 });
    this.observer.on('error', () => undefined);
    const maker = postgres({ url: this.server.url, operationTimeoutMs: 30_000 });
    await maker.ensureSchema();
    await maker.close();
  }

  async stop(): Promise<void> {
    await this.observer.end();
    await this.server.stop();
  }

  /** A backend that serves. */
  async backend(options: PostgresOptions = {}): Promise<PostgresBackend> {
    const backend = this.unready(options);
    await backend.ready();
    return backend;
  }

  /** The backend has written who it is, which it does beside its first claim, on a connection that it has to open. */
  async registered({ processId }: Backend): Promise<void> {
    await eventually('it is registered', async () => {
      const { rows } = await this.observer.query('SELECT 1 FROM bedrock_processes WHERE id = $1', [
        processId,
      ]);
      return rows.length === 1;
    });
  }

  unready(options: PostgresOptions = {}): PostgresBackend {
    const where = options.url || options.connection ? {} : { url: this.server.url };
    const backend = postgres({ operationTimeoutMs: OPERATION_TIMEOUT_MS, ...where, ...options });
    this.#backends.push(backend);
    return backend;
  }

  /** Locks of a session, which serve. */
  async session(options: PostgresSessionOptions = {}): Promise<Backend> {
    const backend = postgresSession({
      url: this.server.url,
      operationTimeoutMs: OPERATION_TIMEOUT_MS,
      ...options,
    });
    this.#backends.push(backend);
    await backend.ready();
    return backend;
  }

  /** The URL of the server through another port. */
  urlAt(port: number): string {
    return this.server.url.replace(`:${this.server.port}`, `:${port}`);
  }

  /** The rows of a resource as they are: one or none. */
  async row(resource: string): Promise<Record<string, unknown> | undefined> {
    const { rows } = await this.observer.query<Record<string, unknown>>(
      'SELECT * FROM bedrock_locks WHERE resource = $1',
      [resource],
    );
    return rows[0];
  }

  async clean(): Promise<void> {
    await Promise.all(this.#backends.splice(0).map((backend) => backend.close()));
    await this.observer.query('TRUNCATE bedrock_locks, bedrock_processes, bedrock_records');
  }
}

/** Asks, and gives the refusal. */
export async function refused(
  backend: Backend,
  resource: string,
  terms: Partial<Claim> = {},
): Promise<Verdict & { readonly kind: 'refused' }> {
  return refusalOf(await backend.leases.claim(claimOf(backend, resource, terms)));
}

/** What `act` is rejected with. */
export async function failure(act: Promise<unknown>): Promise<BackendUnavailableError> {
  const error = await act.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof BackendUnavailableError)) throw new Error(`not unavailable: ${String(error)}`);
  return error;
}

export function pings(backend: Backend): Promise<boolean> {
  return backend.ping().then(
    () => true,
    () => false,
  );
}
