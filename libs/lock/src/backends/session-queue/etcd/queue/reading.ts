import { lineOf, revisionOf, type EtcdPlace } from './etcd-place.js';
import type { SessionGround } from '../session/etcd-session.js';

/** Reads lines: whoever asks for one in the same turn shares a reading, and is answered in the order of asking. */
export class Reading {
  readonly #next = new Map<string, Promise<readonly EtcdPlace[]>>();

  constructor(private readonly ground: SessionGround) {}

  /** The line as it is after the call. @throws BackendUnavailableError */
  line(resource: string): Promise<readonly EtcdPlace[]> {
    let next = this.#next.get(resource);
    if (next === undefined) {
      next = new Promise((resolve) => {
        this.ground.clock.afterPoll(() => {
          this.#next.delete(resource);
          resolve(this.#read(resource));
        });
      });
      this.#next.set(resource, next);
    }
    return next;
  }

  async #read(resource: string): Promise<readonly EtcdPlace[]> {
    const { link, keys } = this.ground;
    const { header, kvs } = await link.range(keys.line(resource), link.deadline());
    return lineOf(resource, kvs, revisionOf(header));
  }
}
