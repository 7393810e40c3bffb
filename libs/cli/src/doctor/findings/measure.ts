import { durationText } from '../../output/durations.js';
import { visibleMessage } from '../../output/visible.js';
import { ok, problem, type Finding } from './finding.js';

const REQUESTS = 25;
/** A request that takes a larger part of its time-out leaves too little for a bad moment. */
const MOST_OF_TIMEOUT = 0.25;
/** Clocks that are kept by NTP differ by less, in ms. */
const MOST_OFFSET_MS = 1_000;

interface Sample {
  readonly tookMs: number;
  /** By how much the clock of the server is ahead, give or take half of `tookMs`; undefined if it has not told. */
  readonly aheadMs: number | undefined;
}

/** How long a request may take before it counts as failed. */
export interface RequestLimit {
  /** The option that sets it in the applications. */
  readonly option: string;
  readonly ms: number;
}

/** That of most backends. */
export function operationLimit(ms: number): RequestLimit {
  return { option: 'operationTimeoutMs', ms };
}

/**
 * Asks the server several times, one after the other.
 * @param ask gives the wall clock of the server in ms since 1970, or undefined where it has none to tell
 * @param limit what the applications allow for a request
 */
export async function measure(
  ask: () => Promise<number | undefined>,
  limit: RequestLimit,
): Promise<readonly Finding[]> {
  const samples: Sample[] = [];
  for (let i = 0; i < REQUESTS; i += 1) {
    const [sentAt, wallClock] = [performance.now(), Date.now()];
    const serverMs = await ask().catch((error: Error) => error);
    if (serverMs instanceof Error)
      return [problem('latency', `a request got no answer: ${visibleMessage(serverMs)}`)];
    const tookMs = performance.now() - sentAt;
    samples.push({
      tookMs,
      aheadMs: serverMs === undefined ? undefined : serverMs - (wallClock + tookMs / 2),
    });
  }
  samples.sort((a, b) => a.tookMs - b.tookMs);
  return [...clockFindings(samples[0]!), latencyFinding(samples, limit)];
}

/** The quickest answer knows the clock best. */
function clockFindings({ aheadMs, tookMs }: Sample): readonly Finding[] {
  if (aheadMs === undefined) return [];
  const offsetMs = Math.abs(aheadMs);
  if (offsetMs - tookMs / 2 <= MOST_OFFSET_MS)
    return [ok('clock', `it agrees with that of this machine within ${durationText(offsetMs + tookMs / 2)}`)];
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  return [
    problem('clock', `it is ${durationText(offsetMs)} ${where} that of this machine: let NTP keep both`),
  ];
}

function latencyFinding(samples: readonly Sample[], { option, ms }: RequestLimit): Finding {
  const medianMs = samples[Math.floor(samples.length / 2)]!.tookMs;
  const slowestMs = samples.at(-1)!.tookMs;
  const text = `a request takes ${fineText(medianMs)}, the slowest of ${REQUESTS} took ${fineText(slowestMs)}`;
  return slowestMs > ms * MOST_OF_TIMEOUT
    ? problem('latency', `${text}, and ${option} is ${ms}: move the server closer, or allow more time`)
    : ok('latency', text);
}

function fineText(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : durationText(ms);
}
