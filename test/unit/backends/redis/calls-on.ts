import type { Clock } from 'bedrock-lock';
import { notSent } from '../../../../libs/lock/src/backends/redis/connection/failures.js';
import type { RedisLink, ReplyHandler } from '../../../../libs/lock/src/backends/redis/connection/link.js';
import {
  RedisCalls,
  type RedisTimeoutSettings,
} from '../../../../libs/lock/src/backends/redis/connection/redis-calls.js';

/** Calls on a link that sends nothing, and leaves the answers to the test. */
export function callsOn(
  clock: Clock,
  { onSilence = () => undefined, ...times }: RedisTimeoutSettings & { readonly onSilence?: () => void },
): { readonly calls: RedisCalls; readonly sent: readonly ReplyHandler[] } {
  const sent: ReplyHandler[] = [];
  const link = {
    isWritable: true,
    call: () => new Promise(() => undefined),
    run: (_command: string, _text: string, replyHandler: ReplyHandler) => void sent.push(replyHandler),
  } as Partial<RedisLink> as RedisLink;
  const calls = new RedisCalls(link, clock, times, {
    silent: onSilence,
    unavailable: () => notSent('not connected'),
  });
  calls.serve();
  return { calls, sent };
}
