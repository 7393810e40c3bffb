import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { Redis, type Command } from 'ioredis';
import { EncodedRequest } from '../../../../libs/lock/src/backends/redis/clients/ioredis-request.js';
import { argumentsOf } from '../../../../libs/lock/src/backends/redis/clients/resp-arguments.js';
import { encodeText } from '../../../../libs/lock/src/backends/redis/protocol/resp-encoding.js';

let server: RunningServer;
let client: Redis;

beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.url);
});

afterAll(async () => {
  client.disconnect();
  await server.stop();
});

describe('a request that is encoded once', () => {
  it.each([
    ['ASCII', 'plain'],
    ['nothing', ''],
    ['NUL', 'a\u0000b'],
    ['what looks like RESP', '\r\n$5\r\n'],
    ['two bytes a character', 'é'],
    ['three and four', '锁🔒'],
    ['half of a pair', 'a\ud800b'],
    ['more than a socket takes at once', '锁🔒é'.repeat(30_000)],
  ])('reaches the server byte by byte, and comes apart into the same bytes: %s', async (_, text) => {
    const request = `*3\r\n$3\r\nSET\r\n${encodeText('key')}${encodeText(text)}`;
    await new Promise((replied, failed) => {
      client.sendCommand(new EncodedRequest('set', request, { replied, failed }) as unknown as Command);
    });
    const bytes = Buffer.from(text);
    expect((await client.getBuffer('key'))!.equals(bytes)).toBe(true);
    const [verb, key, value] = argumentsOf(request);
    expect([verb, key]).toEqual(['SET', 'key']);
    expect(Buffer.from(value!).equals(bytes)).toBe(true);
  });
});
