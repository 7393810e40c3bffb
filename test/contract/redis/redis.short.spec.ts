import { contractSuite, SHORT_CONTRACT } from 'bedrock-testkit';
import { redisHarness } from './redis-harness.js';

contractSuite(redisHarness({ rights: 'least' }), { part: SHORT_CONTRACT });
