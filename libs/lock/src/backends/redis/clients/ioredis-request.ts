import type { Command } from 'ioredis';
import type { ReplyHandler } from '../connection/link.js';

const SETTLED: Promise<unknown> = Promise.resolve();

type CommandMember =
  'name' | 'args' | 'inTransaction' | 'isTraced' | 'promise' | 'resolve' | 'reject' | 'toWritable';

/**
 * A request that was encoded already: what the clients of ioredis 5 and 6 ask of a command on its way, and no more. It
 * spares what their own commands cost, which is half of a call on this side: to encode the arguments one by one, to
 * convert the reply, and a promise.
 */
export class EncodedRequest implements Pick<Command, CommandMember | 'setReplyContext'> {
  readonly args = [];
  readonly inTransaction = false;
  // Set by the client.
  isTraced = false;
  /** The client hands it on to listeners of its tracing; nobody waits for it. */
  readonly promise = SETTLED;

  constructor(
    readonly name: string,
    private readonly text: string,
    private readonly replyHandler: ReplyHandler,
  ) {}

  readonly resolve = (reply: unknown): void => this.replyHandler.replied(reply);
  readonly reject = (error: Error): void => this.replyHandler.failed(stripped(error));

  toWritable(): string {
    return this.text;
  }

  setReplyContext(): void {
    // Replies are read as the decoder gives them.
  }
}

/**
 * An error of the client without the command that it belongs to: AUTH and HELLO have the user's password among their arguments,
 * and the error becomes the cause of one that applications log.
 */
export function stripped(error: Error): Error {
  delete (error as Error & { command?: unknown }).command;
  return error;
}
