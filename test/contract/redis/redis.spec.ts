import { contractSuite, LONG_CONTRACT } from 'bedrock-testkit';
import { redisHarness } from './redis-harness.js';

contractSuite(redisHarness({ rights: 'least' }), { part: LONG_CONTRACT });
