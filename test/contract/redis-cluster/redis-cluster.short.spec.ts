import { contractSuite, SHORT_CONTRACT } from 'bedrock-testkit';
import { redisClusterHarness } from './redis-cluster-harness.js';

contractSuite(redisClusterHarness(), { part: SHORT_CONTRACT });
