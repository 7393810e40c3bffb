import { contractSuite, SHORT_CONTRACT } from 'bedrock-testkit';
import { memoryHarness } from './memory-harness.js';

contractSuite(memoryHarness('real'), { part: SHORT_CONTRACT });
