import { jest } from '@jest/globals';
import { startZooKeeperEnsemble } from 'bedrock-servers';
import { contractSuite } from 'bedrock-testkit';
import { zookeeperHarness } from './zookeeper-harness.js';

// Bounds on time meet a machine that has other servers and tests to run: once more, and the failure is printed.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
contractSuite(zookeeperHarness({ name: 'an ensemble of zookeeper', start: () => startZooKeeperEnsemble() }));
