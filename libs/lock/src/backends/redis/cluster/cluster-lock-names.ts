import { InvalidOptionError } from '../../../core/errors.js';
import type { HeldResource, ListRequest } from '../../../core/ports/admin.js';
import type { LockNames, NamesPage } from '../../kit/named-admin.js';
import type { Router } from './router.js';
import type { Topology } from './topology.js';

/** The names of locks on a cluster: one master after the other, in the order of their addresses. */
export class ClusterLockNames implements LockNames {
  constructor(
    private readonly topology: Pick<Topology, 'masters' | 'start' | 'whenKnown'>,
    private readonly router: Router,
    private readonly timeoutMs: number,
  ) {}

  /** The cursor is that of a master, behind its address. Slots that move during a list may be missed. */
  async names({ cursor, ...request }: ListRequest): Promise<NamesPage> {
    const masters = await this.#masters();
    const [address = masters[0]?.address, own] = cursor?.split(' ') ?? [];
    // A master that is gone: go on behind it.
    const index = masters.findIndex((master) => master.address >= address!);
    const master = masters[index];
    if (master === undefined) {
      if (cursor === undefined || own !== undefined) return { names: [] };
      throw new InvalidOptionError('cursor', 'the cursor of the page before', cursor);
    }
    const isSame = own !== undefined && own !== '' && master.address === address;
    const page = await master.drivers.lockNames.names({ ...request, ...(isSame && { cursor: own }) });
    const next = masters[index + 1];
    const after = page.cursor === undefined ? next && `${next.address} ` : `${master.address} ${page.cursor}`;
    return { names: page.names, cursor: after };
  }

  find(resource: string): Promise<readonly HeldResource[]> {
    return this.router.route(resource, ({ lockNames }) => lockNames.find(resource));
  }

  async processIds(): Promise<readonly string[]> {
    const masters = await this.#masters();
    return (await Promise.all(masters.map(({ drivers }) => drivers.lockNames.processIds()))).flat();
  }

  async #masters() {
    this.topology.start();
    await this.topology.whenKnown(this.timeoutMs);
    return [...this.topology.masters].sort((a, b) => (a.address < b.address ? -1 : 1));
  }
}
