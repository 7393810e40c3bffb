import { from, isObservable, Observable, Subscription, type ObservableInput, type Subscriber } from 'rxjs';
import { OpenHold, type Replacement } from './open-hold.js';
import { callerAbortSignal } from '../handlers/handler.flow.js';
import type { HeldBody } from './hold-locks.js';

/** Holds locks around a body; the signal ends the wait. */
type HoldFunction = (body: HeldBody, signal: AbortSignal) => Promise<unknown>;

/**
 * Subscribes to the source while the locks are held. Acquires them at subscription, and releases them on completion,
 * error or unsubscription. Unsubscription and a disconnect of the handler's client also end the wait. A lost lease ends
 * the stream with its error at once.
 */
export function lockedObservable<T>(hold: HoldFunction, source: () => ObservableInput<T>): Observable<T> {
  return new Observable<T>((subscriber) => {
    const wait = new AbortController();
    subscriber.add(() => wait.abort());
    subscriber.add(abortWithCaller(wait));
    OpenHold.open((body) => hold(body, wait.signal)).then(
      (opened) =>
        opened instanceof OpenHold ? relay(opened, source, subscriber) : deliver(opened, subscriber),
      (error: unknown) => subscriber.error(error),
    );
  });
}

/** Returns the removal. */
function abortWithCaller(wait: AbortController): () => void {
  const clientSignal = callerAbortSignal();
  const abort = (): void => wait.abort(clientSignal?.reason);
  if (clientSignal?.aborted === true) abort();
  clientSignal?.addEventListener('abort', abort);
  return () => clientSignal?.removeEventListener('abort', abort);
}

function relay<T>(hold: OpenHold, source: () => ObservableInput<T>, subscriber: Subscriber<T>): void {
  // Runs at once if the subscriber has already unsubscribed; does nothing after a regular end.
  subscriber.add(() => void hold.end().catch(() => undefined));
  if (subscriber.closed) return;
  const upstream = new Subscription();
  subscriber.add(upstream);
  const finish = (outcome: Promise<Replacement | undefined>): void => {
    upstream.unsubscribe();
    outcome.then(
      (replaced) => deliver(replaced, subscriber),
      (error: unknown) => subscriber.error(error),
    );
  };
  upstream.add(hold.onLost((error) => finish(hold.fail(error))));
  try {
    const values = hold.inContext(() =>
      from(source()).subscribe({
        next: (value) => subscriber.next(value),
        error: (error: unknown) => finish(hold.fail(error)),
        complete: () => finish(hold.end()),
      }),
    );
    upstream.add(values);
  } catch (error) {
    finish(hold.fail(error));
  }
}

function deliver<T>(replaced: Replacement | undefined, subscriber: Subscriber<T>): void {
  const value = replaced?.replacement;
  if (isObservable(value)) {
    subscriber.add((value as Observable<T>).subscribe(subscriber));
    return;
  }
  if (value !== undefined) subscriber.next(value as T);
  subscriber.complete();
}
