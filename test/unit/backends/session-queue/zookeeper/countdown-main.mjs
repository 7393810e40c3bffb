import { Bedrock } from 'bedrock-lock';
import { zookeeper } from 'bedrock-lock/zookeeper';

// Counts a latch down so many times, some at once, and tells what was left each time.
const [connect, name, times] = process.argv.slice(2);
const bedrock = new Bedrock({ backend: zookeeper(connect) });
const latch = bedrock.countdownLatch(name, { waitMs: 20_000 });
const left = [];
for (let i = 0; i < Number(times); i += 5)
  left.push(...(await Promise.all(Array.from({ length: 5 }, () => latch.countDown()))));
await bedrock.close();
process.stdout.write(JSON.stringify(left));
