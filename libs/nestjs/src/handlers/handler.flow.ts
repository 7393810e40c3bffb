import type { ExecutionContext } from '@nestjs/common';
import { Flow, innermostFlow, isUnderLock } from 'bedrock-lock/integration';
import { ClientAbortSignal } from './client-abort-signal.js';
import { clientOf } from './handler.client.js';

// A registered symbol, so that a second copy of this package finds the flows of the first copy.
const HANDLER = Symbol.for('BedrockLockModule: handler flow');

interface HandlerFlowOptions {
  readonly abortOnDisconnect: boolean;
}

/** The flow of one handler call: a request, a message, a resolver. */
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

  /** The flow of the handler that this call chain belongs to. */
  static get innermost(): HandlerFlow | undefined {
    return innermostFlow((flow): flow is HandlerFlow => HANDLER in flow);
  }

  /** True while the handler of this context runs. */
  isFor(context: ExecutionContext): boolean {
    return this.#context === context;
  }

  /** Aborts when the client disconnects. Undefined after the handler, and if the options do not ask for it. */
  get clientSignal(): ClientAbortSignal | undefined {
    if (this.#context === undefined || !this.#abortsOnDisconnect) return undefined;
    return (this.#clientSignal ??= new ClientAbortSignal(clientOf(this.#context)));
  }

  /** True if a wait was aborted because the client had disconnected. */
  get isClientGone(): boolean {
    return this.#clientSignal?.aborted === true;
  }

  /** Ends the flow because no client or subscriber uses the handler's result any more. */
  abandon(): void {
    if (this.#context === undefined) return;
    this.#clientSignal?.abort(new Error("no subscriber is left for the handler's result"));
    void this.end();
  }

  override end(): Promise<void> | undefined {
    // Work that a handler leaves running may keep its flow for long, but must not keep the request.
    this.#context = undefined;
    this.#clientSignal?.close();
    return super.end();
  }
}

/**
 * The signal that ends the waits of a call beginning here: that of the handler's client. Undefined under a lock: the
 * work has begun, and half of it may be worse than an unread response.
 */
export function callerAbortSignal(): ClientAbortSignal | undefined {
  const flow = HandlerFlow.innermost;
  return flow === undefined || isUnderLock() ? undefined : flow.clientSignal;
}
