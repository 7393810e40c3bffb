import { SLOTS } from '../protocol/slot.js';

/** A server by its address, `host:port`, which identifies it everywhere. */
export type Address = string;

/**
 * Maps addresses that the cluster reports to others, for clients outside of its network:
 * `host:port` → address.
 */
export type NatMap =
  | Readonly<Record<string, { readonly host: string; readonly port: number }>>
  | ((address: string) => { readonly host: string; readonly port: number } | null | undefined);

export interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly master: Address;
}

/** Which master serves which slot, as far as this process knows. */
export class SlotMap {
  #masters: (Address | undefined)[] = new Array<undefined>(SLOTS).fill(undefined);

  #distinct: ReadonlySet<Address> | undefined;

  masterOf(slot: number): Address | undefined {
    return this.#masters[slot];
  }

  /** A slot of this master; undefined if it has none. */
  slotAt(master: Address): number | undefined {
    const slot = this.#masters.indexOf(master);
    return slot < 0 ? undefined : slot;
  }

  get masters(): ReadonlySet<Address> {
    this.#distinct ??= new Set(this.#masters.filter((master) => master !== undefined));
    return this.#distinct;
  }

  /** Every slot is served. */
  get isComplete(): boolean {
    return !this.#masters.includes(undefined);
  }

  move(slot: number, master: Address): void {
    this.#masters[slot] = master;
    this.#distinct = undefined;
  }

  replace(ranges: readonly SlotRange[]): void {
    const masters = new Array<Address | undefined>(SLOTS).fill(undefined);
    for (const { first, last, master } of ranges) masters.fill(master, first, last + 1);
    this.#masters = masters;
    this.#distinct = undefined;
  }
}

/**
 * Reads the reply to CLUSTER SLOTS.
 * @param asked the server that answered; its address stands in for a server without a host name
 */
export function parseSlots(reply: unknown, asked: Address, natMap?: NatMap): SlotRange[] {
  if (!Array.isArray(reply)) return [];
  return (reply as [number, number, [string | null, number]][]).map(([first, last, [host, port]]) => ({
    first,
    last,
    master: translated(addressOf(host, port, asked), natMap),
  }));
}

export interface Redirection {
  readonly kind: 'MOVED' | 'ASK';
  readonly slot: number;
  readonly to: Address;
}

const REDIRECTION = /^(MOVED|ASK) (\d+) (.*):(\d+)$/;

/** Reads `MOVED 3999 127.0.0.1:6381`, or the same with ASK. */
export function parseRedirection(text: string, asked: Address, natMap?: NatMap): Redirection | undefined {
  const [, kind, slot, host, port] = REDIRECTION.exec(text) ?? [];
  if (kind === undefined) return undefined;
  const to = translated(addressOf(host!, Number(port), asked), natMap);
  return { kind: kind as Redirection['kind'], slot: Number(slot), to };
}

/** The parts of an address; the last colon divides them, since IPv6 has colons of its own. */
export function partsOf(address: Address): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}

// A server that does not know its own address reports an empty one, or `?`.
function addressOf(host: string | null, port: number, asked: Address): Address {
  return `${host === null || host === '' || host === '?' ? partsOf(asked).host : host}:${port}`;
}

function translated(address: Address, natMap: NatMap | undefined): Address {
  const other = typeof natMap === 'function' ? natMap(address) : natMap?.[address];
  return other === undefined || other === null ? address : `${other.host}:${other.port}`;
}
