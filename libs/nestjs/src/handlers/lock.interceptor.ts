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
 * Runs each handler in a flow of its own, and maps its lock errors to exceptions of the transport. Aborts its waits
 * when the client disconnects. Applies to all handlers by default.
 */
@Injectable()
export class LockInterceptor implements NestInterceptor {
  /** @internal Nest creates it. */
  constructor(@Inject(LockErrorMapper) private readonly errors: LockErrorMapper) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    // The interceptor may be registered twice: for all handlers and for this one.
    if (HandlerFlow.innermost?.isFor(context) === true) return next.handle();
    const open = (): HandlerFlow => new HandlerFlow(context, this.errors.settings);
    const fail = async (flow: HandlerFlow, error: unknown): Promise<unknown> => {
      const isClientGone = flow.isClientGone;
      await flow.end();
      return this.errors.map(error, context, { isClientGone });
    };
    return new Observable((subscriber) => {
      const flow = open();
      // Subscribe inside the flow: an Observable does its work on subscription.
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

/** Runs synchronously if there is nothing to wait for, which is the usual case. */
function whenEnded(ended: Promise<void> | undefined, act: () => void): void {
  if (ended === undefined) act();
  else void ended.then(act);
}
