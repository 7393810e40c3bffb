import { contractSuite } from 'bedrock-testkit';
import { redisHarness } from './redis-harness.js';

contractSuite(redisHarness({ library: 'node-redis 5', rights: 'least' }));
