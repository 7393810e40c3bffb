import { contractSuite } from 'bedrock-testkit';
import { CLIENT } from '../parts.js';
import { redisHarness } from './redis-harness.js';

contractSuite(redisHarness({ library: 'node-redis 6' }), { part: CLIENT });
