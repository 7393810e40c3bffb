import { Environment } from '../common/environment.js';
import { SettingError } from '../common/setting.error.js';
import { LOCKS_BACKENDS, type LocksBackend } from './lock-backend.js';

const SCHEMES: Readonly<Record<Exclude<LocksBackend, 'memory'>, readonly string[]>> = {
  zookeeper: ['zookeeper:'],
  redis: ['redis:', 'rediss:'],
  etcd: ['http:', 'https:'],
  mysql: ['mysql:'],
  postgres: ['postgres:', 'postgresql:'],
};

/** Settings of the stock service, from its environment variables. */
export class StockSettings {
  readonly port: number;
  /** The server of the database. */
  readonly databaseUrl: URL;
  readonly database: string;
  /** The server of the idempotency records. */
  readonly redisUrl: URL;
  readonly locksBackend: LocksBackend;
  /** Undefined only for memory. */
  readonly locksUrl: URL | undefined;
  /** How long a killed process delays the others. */
  readonly leaseMs: number;
  /** Longest wait for the goods of an order. */
  readonly waitMs: number;
  /** Initial amounts of missing goods. */
  readonly stock: ReadonlyMap<string, number>;

  /** @throws SettingError naming the variable */
  constructor(variables: Readonly<Record<string, string | undefined>>) {
    const environment = new Environment(variables);
    this.port = environment.whole('PORT', { from: 0, to: 65_535, otherwise: 0 });
    this.databaseUrl = environment.url(['DATABASE_URL'], ['mysql:']);
    this.database = environment.text('DATABASE', /^\w{1,64}$/, '1 to 64 letters, digits or _', 'shop_stock');
    this.redisUrl = environment.url(['REDIS_URL'], SCHEMES.redis);
    this.locksBackend = environment.oneOf('LOCKS_BACKEND', LOCKS_BACKENDS, 'zookeeper');
    this.locksUrl = locksUrlOf(environment, this.locksBackend);
    this.leaseMs = environment.timeMs('LOCK_LEASE_MS', 4_000, 500);
    this.waitMs = environment.timeMs('LOCK_WAIT_MS', 5_000, 0);
    this.stock = startAmounts(variables['STOCK'] ?? '');
  }
}

/** LOCKS_URL, or the variable that the backend's own tests use. */
function locksUrlOf(environment: Environment, backend: LocksBackend): URL | undefined {
  if (backend === 'memory') return undefined;
  return environment.url(['LOCKS_URL', `${backend.toUpperCase()}_URL`], SCHEMES[backend]);
}

/** `apple:100,pear:50`. @throws SettingError */
function startAmounts(text: string): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>();
  for (const one of text.split(',').filter((part) => part.trim() !== '')) {
    const found = /^\s*([\w.-]{1,64}):(\d{1,9})\s*$/.exec(one);
    if (found === null || amounts.has(found[1]!)) {
      throw new SettingError(
        'STOCK',
        'goods and amounts, each kind of goods once, such as apple:100,pear:50',
        text,
      );
    }
    amounts.set(found[1]!, Number(found[2]));
  }
  return amounts;
}
