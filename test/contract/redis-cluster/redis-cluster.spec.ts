import { contractSuite, LONG_CONTRACT } from 'bedrock-testkit';
import { redisClusterHarness } from './redis-cluster-harness.js';

contractSuite(redisClusterHarness(), { part: LONG_CONTRACT });
