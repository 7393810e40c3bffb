import type { Command } from 'ioredis';
import type { ReplyHandler } from '../connection/link.js';

const SETTLED: Promise<unknown> = Promise.resolve();

type CommandMember =
  'name' | 'args' | 'inTransaction' | 'isTraced' | 'promise' | 'resolve' | 'reject' | 'toWritable';

/**
 * A request that is encoded already, with only those members of a command that ioredis 5 and 6 use.
 * Its own commands encode arguments one by one, convert the reply, and make a promise. That is half
 * of the cost of a call on this side.
 */
export class EncodedRequest implements Pick<Command, CommandMember | 'setReplyContext'> {
  readonly args = [];
  readonly inTransaction = false;
  // Set by the client.
  isTraced = false;
  /** The client passes it to its tracing listeners; no caller waits for it. */
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
 * Removes the command from an error of the client. AUTH and HELLO carry the user's password in
 * their arguments. Applications log the error as a cause.
 */
export function stripped(error: Error): Error {
  delete (error as Error & { command?: unknown }).command;
  return error;
}
