import { Environment } from '../common/environment.js';

/** What the order service is told by the variables of its environment. */
export class OrderSettings {
  readonly port: number;
  /** The server of the database. */
  readonly databaseUrl: URL;
  readonly database: string;
  /** Where the records of idempotency are, and the locks on orders. */
  readonly redisUrl: URL;
  readonly stockUrl: URL;
  /** Bound on each request to the stock service. */
  readonly stockTimeoutMs: number;
  /** How often a request is sent before it counts as unanswered. */
  readonly stockTries: number;
  /** Pause before the second try; doubled with each further one. */
  readonly backOffMs: number;
  /** Pauses, after each of which an unanswered deduction is looked for. */
  readonly lookBackMs: readonly number[];
  /** How long a customer waits for what becomes of an order; later it is told as pending. */
  readonly answerWithinMs: number;
  /** How often pending orders are looked through, and how old they are then. */
  readonly reconcileMs: number;
  /** What a killed process costs the others. */
  readonly leaseMs: number;

  /** @throws SettingError naming the variable */
  constructor(variables: Readonly<Record<string, string | undefined>>) {
    const environment = new Environment(variables);
    this.port = environment.whole('PORT', { from: 0, to: 65_535, otherwise: 0 });
    this.databaseUrl = environment.url(['DATABASE_URL'], ['mysql:']);
    this.database = environment.text('DATABASE', /^\w{1,64}$/, '1 to 64 letters, digits or _', 'shop_orders');
    this.redisUrl = environment.url(['REDIS_URL'], ['redis:', 'rediss:']);
    this.stockUrl = environment.url(['STOCK_URL'], ['http:', 'https:']);
    this.stockTimeoutMs = environment.timeMs('STOCK_TIMEOUT_MS', 2_000);
    this.stockTries = environment.whole('STOCK_TRIES', { from: 1, to: 20, otherwise: 4 });
    this.backOffMs = environment.timeMs('BACK_OFF_MS', 100);
    this.lookBackMs = environment.timesMs('LOOK_BACK_MS', [3_000, 5_000, 10_000]);
    this.answerWithinMs = environment.timeMs('ANSWER_WITHIN_MS', 10_000);
    this.reconcileMs = environment.timeMs('RECONCILE_MS', 5_000);
    this.leaseMs = environment.timeMs('LOCK_LEASE_MS', 4_000, 500);
  }
}
