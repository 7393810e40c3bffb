import { HandMadeLock } from './hand-made.lock.js';

/**
 * Stage 1: SETNX, then EXPIRE. A crash in between leaves a key for ever. PEXPIRE stands for EXPIRE in all stages, to
 * allow leases shorter than a second.
 */
export class Stage1Lock extends HandMadeLock {
  protected override async acquire(_owner: string): Promise<boolean> {
    if ((await this.client.setnx(this.key, 'locked')) === 0) return false;
    await this.at('afterFirstCommand');
    await this.client.pexpire(this.key, this.leaseMs);
    return true;
  }

  protected override async release(_owner: string): Promise<void> {
    await this.at('beforeDelete');
    await this.client.del(this.key);
  }
}
