import { jest } from '@jest/globals';
import type { NativeZooKeeper } from 'bedrock-lock/zookeeper';
import { startZooKeeper } from 'bedrock-servers';
import { contractSuite } from 'bedrock-testkit';
import { zookeeperHarness } from './zookeeper-harness.js';
import { nativeClient } from './zookeeper-native-factory.mjs';

jest.retryTimes(1, { logErrorsBeforeRetry: true });

let client: NativeZooKeeper | undefined;
let whyNot = '';
try {
  client = nativeClient();
} catch (error) {
  whyNot = String(error).split('\n')[0]!;
}

if (client === undefined) {
  it('the contract over the compiled client is not tried here: it is not installed', () => {
    process.stderr.write(`zookeeper: not tried, name its folder in ZOOKEEPER_NATIVE_CLIENT: ${whyNot}\n`);
    // A folder that was named has to have it.
    expect(process.env['ZOOKEEPER_NATIVE_CLIENT'] ?? '').toBe('');
  });
} else {
  contractSuite(
    zookeeperHarness({
      name: 'zookeeper, over the compiled client',
      client,
      start: async () => {
        const server = await startZooKeeper();
        return { connect: `${server.host}:${server.port}`, stop: () => server.stop() };
      },
    }),
  );
}
