import { readFileSync } from 'node:fs';
import { parseBackendAddress, type CombinationAddress } from './backend-address.js';
import { UsageError } from './usage-error.js';

const SHAPE = '{ "nodes": [{ "id": "a", "url": "redis://…" }, …], "minNodes": 2, "maxLeaseMs": 30000 }';

/**
 * Reads the description of a combination. Nothing in it has a default, since a list that differs from that of the applications
 * breaks the promise of the lock.
 * @throws UsageError; its text contains no URL, since that may contain a password
 */
export function readCombinationFile(path: string): CombinationAddress {
  const fail = (problem: string): never => {
    throw new UsageError(`--combination: ${problem}; the file must be like ${SHAPE}`);
  };
  const { nodes, minNodes, maxLeaseMs, ...others } = parsed(path, fail);
  const [other] = Object.keys(others);
  if (other !== undefined) fail(`${JSON.stringify(other)} is not known`);
  if (!Array.isArray(nodes) || nodes.length < 2) fail('"nodes" must be a list of two or more');
  if (!isCount(minNodes)) fail('"minNodes" must be a whole number');
  if (!isCount(maxLeaseMs)) fail('"maxLeaseMs" must be a whole number of ms');
  return {
    engine: 'combination',
    minNodes: minNodes as number,
    maxLeaseMs: maxLeaseMs as number,
    nodes: (nodes as readonly unknown[]).map((node, at) => {
      const { id, url, ...rest } = Object(node) as { id?: unknown; url?: unknown };
      if (typeof id !== 'string' || id === '' || typeof url !== 'string' || Object.keys(rest).length > 0)
        fail(`node ${at + 1} must have an "id" and a "url", and nothing else`);
      const address = parseBackendAddress(url as string);
      if (address.engine !== 'redis') return fail(`the URL of node ${at + 1} must name one Redis server`);
      return { id: id as string, url: address.url };
    }),
  };
}

function parsed(path: string, fail: (problem: string) => never): Record<string, unknown> {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof content === 'object' && content !== null && !Array.isArray(content))
      return content as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError))
      return fail(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return fail('the file is not JSON');
  }
  return fail('the file has no object');
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0;
}
