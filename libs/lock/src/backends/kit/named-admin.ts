import { MUTEX, READER, READERS, WRITER, type ClaimView, type Shape } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { checkWhole } from '../../core/checks.js';
import { InvalidOptionError, LockTypeMismatchError } from '../../core/errors.js';
import type {
  AdminDriver,
  HeldResource,
  ListPage,
  ListRequest,
  ProcessEntry,
} from '../../core/ports/admin.js';
import { pauseAfterPage } from './pace.js';

/** Most names that one page reads. */
const MAX_LIMIT = 1_000;

/** Names that may be locks. */
export interface NamesPage {
  readonly names: readonly string[];
  readonly cursor?: string | undefined;
}

/** For servers that are asked for names first, and for the holders of each name afterwards. */
export interface LockNames {
  /** @param request checked */
  names(request: ListRequest): Promise<NamesPage>;
  /** See `AdminDriver.find()`. */
  find(resource: string): Promise<readonly HeldResource[]>;
}

/** Lists locks by their names. */
export class NamedAdmin implements AdminDriver {
  /** @param announced @default the processes that hold a lock */
  constructor(
    private readonly locks: LockNames,
    private readonly clock: Clock,
    private readonly announced?: () => Promise<readonly ProcessEntry[]>,
  ) {}

  async list(request: ListRequest): Promise<ListPage> {
    checkListRequest(request);
    const { names, cursor } = await this.locks.names(request);
    const found = await Promise.all(names.map((name) => this.#heldUnder(name)));
    return pageOf(found.flat(), cursor);
  }

  async find(resource: string): Promise<readonly HeldResource[]> {
    return this.locks.find(checkPrintable('resource', resource));
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    return this.announced?.() ?? this.#holders();
  }

  /** A name that holds something else is not listed. */
  async #heldUnder(resource: string): Promise<readonly HeldResource[]> {
    try {
      return await this.locks.find(resource);
    } catch (error) {
      if (error instanceof LockTypeMismatchError) return [];
      throw error;
    }
  }

  async #holders(): Promise<readonly ProcessEntry[]> {
    const entries = new Map<string, ProcessEntry>();
    let cursor: string | undefined;
    do {
      const askedAt = this.clock.now();
      const page = await this.list({ prefix: '', limit: MAX_LIMIT, ...(cursor !== undefined && { cursor }) });
      for (const { id, process } of page.resources.flatMap(({ holders }) => holders)) {
        const processId = id.slice(0, id.indexOf(':'));
        if (process !== undefined) entries.set(processId, { id: processId, ...process });
      }
      cursor = page.cursor;
      if (cursor !== undefined) await pauseAfterPage(this.clock, askedAt);
    } while (cursor !== undefined);
    return [...entries.values()];
  }
}

/** @throws InvalidOptionError */
export function checkListRequest({ prefix, limit, cursor }: ListRequest): void {
  checkPrintable('prefix', prefix);
  checkWhole('limit', limit, 1, MAX_LIMIT);
  if (cursor !== undefined && typeof cursor !== 'string')
    throw new InvalidOptionError('cursor', 'the cursor of the page before', cursor);
}

/** Names of other programs are less strict than ours, but no server keeps these characters. @throws InvalidOptionError */
export function checkPrintable(field: string, text: unknown): string {
  if (typeof text === 'string' && !/[\0\p{Cs}]/u.test(text)) return text;
  throw new InvalidOptionError(field, 'a text without NUL and lone surrogates', text);
}

/** A page of all names, in any order, by their beginning; the cursor is its last name. */
export function namesPageOf(all: Iterable<string>, { prefix, limit, cursor = '' }: ListRequest): NamesPage {
  const left = [...all].filter((name) => name.startsWith(prefix) && name > cursor).sort();
  const names = left.slice(0, limit);
  return { names, cursor: names.length < left.length ? names.at(-1) : undefined };
}

/** A shape by which a backend finds these holders, if it decides by the resource alone. */
export function shapeOf([first]: readonly ClaimView[]): Shape {
  if (first?.mode === 'shared') return READER;
  return first?.units === READERS ? WRITER : MUTEX;
}

export function pageOf(resources: readonly HeldResource[], cursor: string | undefined): ListPage {
  return { resources, ...(cursor !== undefined && { cursor }) };
}

/**
 * Comes after all names with the prefix, in the order of code points; but for names that go on with this very code point, which
 * Unicode reserves for such ends.
 */
export function endOfPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}
