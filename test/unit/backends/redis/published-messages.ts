import { Redis } from 'ioredis';

/** The messages published while `act` runs, on all channels, in order: `channel message`. */
export async function published(port: number, act: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  const subscriber = new Redis(port);
  subscriber.on('pmessage', (_pattern, channel, message) => heard.push(`${channel} ${message}`));
  await subscriber.psubscribe('*');
  await act();
  const end = new Promise((resolve) => subscriber.on('message', resolve));
  await subscriber.subscribe('end');
  const teller = new Redis(port);
  await teller.publish('end', '');
  await end;
  subscriber.disconnect();
  teller.disconnect();
  return heard.filter((message) => message !== 'end ');
}
