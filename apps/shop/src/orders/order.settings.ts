import { Environment } from '../common/environment.js';

/** Settings of the order service, from its environment variables. */
export class OrderSettings {
  readonly port: number;
  /** The server of the database. */
  readonly databaseUrl: URL;
  readonly database: string;
  /** The server of the idempotency records, and of the locks on orders. */
  readonly redisUrl: URL;
  readonly stockUrl: URL;
  /** Time limit of each request to the stock service. */
  readonly stockTimeoutMs: number;
  /** How often a request is sent before it counts as unanswered. */
  readonly stockTries: number;
  /** Pause before the second attempt; doubled for each further one. */
  readonly backOffMs: number;
  /** Pauses, each followed by a look for an unanswered deduction. */
  readonly lookBackMs: readonly number[];
  /** How long a customer waits for the outcome of an order; after that, the response is `pending`. */
  readonly answerWithinMs: number;
  /** Interval at which pending orders are checked, and their minimum age. */
  readonly reconcileMs: number;
  /** How long a killed process delays the others. */
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
