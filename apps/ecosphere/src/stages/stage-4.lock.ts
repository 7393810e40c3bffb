import { Stage3Lock } from './stage-3.lock.js';

const DELETE_OWN = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** Stage 4: one script compares and deletes. Work that is longer than the lease still loses the lock. */
export class Stage4Lock extends Stage3Lock {
  protected override async release(owner: string): Promise<void> {
    await this.at('beforeDelete');
    await this.client.eval(DELETE_OWN, 1, this.key, owner);
  }
}
