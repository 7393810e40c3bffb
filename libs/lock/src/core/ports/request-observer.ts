import { modeOf, type Shape } from '../claim.js';
import type { Clock } from '../clock.js';
import type { EventHub, RequestEnd, RequestVerb } from '../events.js';
import { isUnavailable } from '../unavailable.js';

/** What a request is about. */
export interface RequestTarget {
  readonly resource: string;
  /** Of the claim; undefined where there is none. */
  readonly shape?: Shape;
}

const SEVERAL: RequestTarget = { resource: '' };

/** Publishes how requests to a backend end. Without a listener it does nothing. */
export class RequestObserver {
  constructor(
    private readonly clock: Clock,
    private readonly events: EventHub,
  ) {}

  /** Gives back the answer of a request that was sent just now. */
  observe<R>(verb: RequestVerb, target: RequestTarget, answer: Promise<R>): Promise<R> {
    if (this.events.hasListeners('backend.request')) void this.#publish(verb, target, 1, answer);
    return answer;
  }

  /** As `observe`, of one request for several targets. */
  observeBatch<R>(verb: RequestVerb, targets: readonly RequestTarget[], answer: Promise<R>): Promise<R> {
    if (this.events.hasListeners('backend.request')) {
      const target = targets.length === 1 ? targets[0]! : SEVERAL;
      void this.#publish(verb, target, targets.length, answer);
    }
    return answer;
  }

  async #publish(
    verb: RequestVerb,
    { resource, shape }: RequestTarget,
    resources: number,
    answer: Promise<unknown>,
  ): Promise<void> {
    const sentAt = this.clock.now();
    const end = await endOf(answer);
    const mode = modeOf(shape);
    const durationMs = this.clock.now() - sentAt;
    this.events.emit('backend.request', { resource, mode, verb, resources, durationMs, end });
  }
}

/** Never rejects, also where a backend of another author gives no promise. */
async function endOf(answer: Promise<unknown>): Promise<RequestEnd> {
  try {
    await answer;
    return 'answered';
  } catch (error) {
    return isUnavailable(error) ? 'unavailable' : 'failed';
  }
}
