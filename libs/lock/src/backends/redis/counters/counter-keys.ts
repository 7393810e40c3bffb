import type { Counter } from '../../../core/ports/counting.js';

// Redisson's rules: a name that contains a brace carries its own hash tag, any other becomes one.
function tagged(resource: string): string {
  return resource.includes('{') ? resource : `{${resource}}`;
}

/** Where Redisson and Bedrock say that waiting may be over. A latch's name is always put into braces. */
export function channelOf(kind: Counter['kind'], resource: string): string {
  return kind === 'latch'
    ? `redisson_countdownlatch__channel__{${resource}}`
    : `redisson_sc:${tagged(resource)}`;
}

/** The leases of an `RPermitExpirableSemaphore`. */
export function leasesKey(resource: string): string {
  return `${tagged(resource)}:timeout`;
}

/** What an operation has done: Bedrock's own, gone when it was answered. */
export function storedAnswerKey(resource: string, operationId: string): string {
  return `${tagged(resource)}:bedrock_op:${operationId}`;
}
