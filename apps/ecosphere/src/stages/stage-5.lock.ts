import { Stage4Lock } from './stage-4.lock.js';

const RENEW_OWN = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/**
 * Stage 5: a watchdog renews the lease at a third of its life. If the lease is lost all the same, the holder does not
 * learn it.
 */
export class Stage5Lock extends Stage4Lock {
  readonly #watchdogs = new Map<string, NodeJS.Timeout>();

  protected override async acquire(owner: string): Promise<boolean> {
    if (!(await super.acquire(owner))) return false;
    this.#watchdogs.set(
      owner,
      setInterval(() => void this.#renew(owner), this.leaseMs / 3),
    );
    return true;
  }

  protected override async release(owner: string): Promise<void> {
    clearInterval(this.#watchdogs.get(owner));
    await super.release(owner);
  }

  async #renew(owner: string): Promise<void> {
    await this.client.eval(RENEW_OWN, 1, this.key, owner, this.leaseMs).catch(() => undefined);
  }
}
