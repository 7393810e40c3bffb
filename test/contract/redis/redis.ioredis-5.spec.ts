import { contractSuite } from 'bedrock-testkit';
import { CLIENT } from '../parts.js';
import { redisHarness } from './redis-harness.js';

contractSuite(redisHarness({ library: 'ioredis 5' }), { part: CLIENT });
