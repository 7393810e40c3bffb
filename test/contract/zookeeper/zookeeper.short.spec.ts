import { contractSuite, SHORT_CONTRACT } from 'bedrock-testkit';
import { zookeeperHarness } from './zookeeper-harness.js';

contractSuite(zookeeperHarness('one server'), { part: SHORT_CONTRACT });
