import { contractSuite } from 'bedrock-testkit';
import { redisClusterHarness } from './redis-cluster-harness.js';

contractSuite(redisClusterHarness());
