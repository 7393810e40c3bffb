import { Redis } from 'ioredis';

/** What is published while `act` runs, on all channels, in order: `channel message`. */
export async function published(port: number, act: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  const ear = new Redis(port);
  ear.on('pmessage', (_pattern, channel, message) => heard.push(`${channel} ${message}`));
  await ear.psubscribe('*');
  await act();
  const end = new Promise((resolve) => ear.on('message', resolve));
  await ear.subscribe('end');
  const teller = new Redis(port);
  await teller.publish('end', '');
  await end;
  ear.disconnect();
  teller.disconnect();
  return heard.filter((message) => message !== 'end ');
}
