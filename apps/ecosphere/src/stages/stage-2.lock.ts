import { HandMadeLock } from './hand-made.lock.js';

/** Stage 2: both in one command. A holder that is late with its DEL deletes the lock of the next. */
export class Stage2Lock extends HandMadeLock {
  protected override async acquire(_owner: string): Promise<boolean> {
    const reply = await this.client.set(this.key, 'locked', 'PX', this.leaseMs, 'NX');
    await this.at('afterFirstCommand');
    return reply === 'OK';
  }

  protected override async release(_owner: string): Promise<void> {
    await this.at('beforeDelete');
    await this.client.del(this.key);
  }
}
