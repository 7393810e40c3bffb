import { contractSuite } from 'bedrock-testkit';
import { redisHarness } from './redis-harness.js';

contractSuite(redisHarness({ library: 'ioredis 5', rights: 'least' }));
