import { contractSuite, LONG_CONTRACT } from 'bedrock-testkit';
import { zookeeperHarness } from './zookeeper-harness.js';

contractSuite(zookeeperHarness('one server'), { part: LONG_CONTRACT });
