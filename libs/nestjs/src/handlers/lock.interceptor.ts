import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { isLockError } from 'bedrock-lock';
import { Observable } from 'rxjs';
import { isAsyncGenerator, runInOwnFlow } from './generator.flow.js';
import { HandlerFlow } from './handler.flow.js';
import { LockErrorMapper } from './lock-error.mapper.js';

/**
 * Runs every handler in a flow of its own, turns the lock errors that leave it into exceptions of its transport, and stops
 * its waits when its client has gone. The module applies it to all handlers, unless its options say otherwise.
 */
@Injectable()
export class LockInterceptor implements NestInterceptor {
  /** @internal Nest makes it. */
  constructor(@Inject(LockErrorMapper) private readonly errors: LockErrorMapper) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    // Registered twice, for all handlers and for this one.
    if (HandlerFlow.innermost?.isFor(context) === true) return next.handle();
    const open = (): HandlerFlow => new HandlerFlow(context, this.errors.settings);
    const fail = async (flow: HandlerFlow, error: unknown): Promise<unknown> => {
      const isClientGone = flow.isClientGone;
      await flow.end();
      return this.errors.map(error, context, { isClientGone });
    };
    return new Observable((subscriber) => {
      const flow = open();
      // Subscribed inside: what an Observable does, it does on subscription.
      const result = flow.run(() =>
        next.handle().subscribe({
          next: (value) => {
            if (isAsyncGenerator(value)) runInOwnFlow(value, { open, fail });
            subscriber.next(value);
          },
          error: (error: unknown) => {
            if (isLockError(error)) void fail(flow, error).then((exception) => subscriber.error(exception));
            else whenEnded(flow.end(), () => subscriber.error(error));
          },
          complete: () => whenEnded(flow.end(), () => subscriber.complete()),
        }),
      );
      return () => {
        result.unsubscribe();
        flow.abandon();
      };
    });
  }
}

/** At once when there is nothing to wait for, as nearly always. */
function whenEnded(ended: Promise<void> | undefined, act: () => void): void {
  if (ended === undefined) act();
  else void ended.then(act);
}
