import type { ExecutionContext } from '@nestjs/common';
import { Flow, innermostFlow, isUnderLock } from 'bedrock-lock';
import { ClientAbortSignal } from './client-abort-signal.js';
import { clientOf } from './handler.client.js';

// A name, so that a second copy of this package finds the flows of the first one.
const HANDLER = Symbol.for('BedrockLockModule: handler flow');

interface HandlerFlowOptions {
  readonly abortOnDisconnect: boolean;
}

/** The flow of one call of a handler: a request, a message, a resolver. */
export class HandlerFlow extends Flow {
  readonly [HANDLER] = true;
  readonly #abortsOnDisconnect: boolean;
  #context: ExecutionContext | undefined;
  #clientSignal: ClientAbortSignal | undefined;

  constructor(context: ExecutionContext, { abortOnDisconnect }: HandlerFlowOptions) {
    super();
    this.#context = context;
    this.#abortsOnDisconnect = abortOnDisconnect;
  }

  /** That of the handler which this call chain belongs to. */
  static get innermost(): HandlerFlow | undefined {
    return innermostFlow((flow): flow is HandlerFlow => HANDLER in flow);
  }

  /** True while the handler runs that was called with this context. */
  isFor(context: ExecutionContext): boolean {
    return this.#context === context;
  }

  /** Tells that the client has gone. Undefined after the handler, and when nobody wants to know. */
  get clientSignal(): ClientAbortSignal | undefined {
    if (this.#context === undefined || !this.#abortsOnDisconnect) return undefined;
    return (this.#clientSignal ??= new ClientAbortSignal(clientOf(this.#context)));
  }

  /** True when a wait was aborted since nobody is there for its result. */
  get isClientGone(): boolean {
    return this.#clientSignal?.aborted === true;
  }

  /** Ends the flow since nobody listens to the handler's result any more. */
  abandon(): void {
    if (this.#context === undefined) return;
    this.#clientSignal?.abort(new Error("nobody listens to the handler's result any more"));
    void this.end();
  }

  override end(): Promise<void> | undefined {
    // What a handler leaves running may keep its flow for long; the request it must not keep.
    this.#context = undefined;
    this.#clientSignal?.close();
    return super.end();
  }
}

/**
 * What ends the waits of a call that begins here: the signal of the handler's client. Undefined under a lock, since the
 * work has begun and a half of it may be worse than a response that nobody reads.
 */
export function callerAbortSignal(): ClientAbortSignal | undefined {
  const flow = HandlerFlow.innermost;
  return flow === undefined || isUnderLock() ? undefined : flow.clientSignal;
}
