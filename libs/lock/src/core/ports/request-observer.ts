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
    if (this.events.hasListeners('backend.request')) this.#publish(verb, target, 1, answer);
    return answer;
  }

  /** As `observe`, of one request for several targets. */
  observeBatch<R>(verb: RequestVerb, targets: readonly RequestTarget[], answer: Promise<R>): Promise<R> {
    if (this.events.hasListeners('backend.request')) {
      const target = targets.length === 1 ? targets[0]! : SEVERAL;
      this.#publish(verb, target, targets.length, answer);
    }
    return answer;
  }

  #publish(verb: RequestVerb, target: RequestTarget, resources: number, answer: Promise<unknown>): void {
    const sentAt = this.clock.now();
    const publish = (end: RequestEnd): void => {
      const { resource, shape } = target;
      const durationMs = this.clock.now() - sentAt;
      this.events.emit('backend.request', {
        resource,
        mode: modeOf(shape),
        verb,
        resources,
        durationMs,
        end,
      });
    };
    // A backend of another author may give no promise.
    Promise.resolve(answer).then(
      () => publish('answered'),
      (error: unknown) => publish(isUnavailable(error) ? 'unavailable' : 'failed'),
    );
  }
}
