import type { Counter } from '../../../core/ports/counting.js';

// Redisson's rule: a name with a brace brings its own hash tag; any other becomes one.
function tagged(resource: string): string {
  return resource.includes('{') ? resource : `{${resource}}`;
}

/**
 * Where Redisson and Bedrock announce that waiters may proceed. The name of a latch is always put
 * into braces.
 */
export function channelOf(kind: Counter['kind'], resource: string): string {
  return kind === 'latch'
    ? `redisson_countdownlatch__channel__{${resource}}`
    : `redisson_sc:${tagged(resource)}`;
}

/** The leases of an `RPermitExpirableSemaphore`. */
export function leasesKey(resource: string): string {
  return `${tagged(resource)}:timeout`;
}

/** The stored answer of an operation: Bedrock's own key, deleted after the answer has arrived. */
export function storedAnswerKey(resource: string, operationId: string): string {
  return `${tagged(resource)}:bedrock_op:${operationId}`;
}
