import { from, isObservable, Observable, Subscription, type ObservableInput, type Subscriber } from 'rxjs';
import { HeldSession, type Replacement } from './held.session.js';
import { callersDeparture } from '../handlers/handler.flow.js';
import type { HeldBody } from './lock.hold.js';

/** Holds locks around a body; the signal ends the wait. */
type Hold = (body: HeldBody, signal: AbortSignal) => Promise<unknown>;

/**
 * Subscribes to the source while the locks are held: they are taken at subscription and given back on completion, error
 * or unsubscription, which also ends the wait, as does the departure of the handler's client. A loss ends the stream with
 * its error at once.
 */
export function lockedObservable<T>(hold: Hold, source: () => ObservableInput<T>): Observable<T> {
  return new Observable<T>((subscriber) => {
    const wait = new AbortController();
    subscriber.add(() => wait.abort());
    subscriber.add(abortWithCaller(wait));
    HeldSession.open((body) => hold(body, wait.signal)).then(
      (opened) =>
        opened instanceof HeldSession ? relay(opened, source, subscriber) : deliver(opened, subscriber),
      (error: unknown) => subscriber.error(error),
    );
  });
}

/** Gives back the removal. */
function abortWithCaller(wait: AbortController): () => void {
  const departure = callersDeparture();
  const leave = (): void => wait.abort(departure?.reason);
  if (departure?.aborted === true) leave();
  departure?.addEventListener('abort', leave);
  return () => departure?.removeEventListener('abort', leave);
}

function relay<T>(session: HeldSession, source: () => ObservableInput<T>, subscriber: Subscriber<T>): void {
  // Runs at once when the subscriber has gone in the meantime; does nothing after a regular end.
  subscriber.add(() => void session.end().catch(() => undefined));
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
  upstream.add(session.onLost((error) => finish(session.fail(error))));
  try {
    const values = session.inContext(() =>
      from(source()).subscribe({
        next: (value) => subscriber.next(value),
        error: (error: unknown) => finish(session.fail(error)),
        complete: () => finish(session.end()),
      }),
    );
    upstream.add(values);
  } catch (error) {
    finish(session.fail(error));
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
