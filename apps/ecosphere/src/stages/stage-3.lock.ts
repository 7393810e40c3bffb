import { HandMadeLock } from './hand-made.lock.js';

/** Stage 3: the value names the owner, and only the owner deletes. Between GET and DEL, the lock may change hands. */
export class Stage3Lock extends HandMadeLock {
  protected override async acquire(owner: string): Promise<boolean> {
    const reply = await this.client.set(this.key, owner, 'PX', this.leaseMs, 'NX');
    await this.at('afterFirstCommand');
    return reply === 'OK';
  }

  protected override async release(owner: string): Promise<void> {
    if ((await this.client.get(this.key)) !== owner) return;
    await this.at('beforeDelete');
    await this.client.del(this.key);
  }
}
