import { contractSuite, LONG_CONTRACT } from 'bedrock-testkit';
import { memoryHarness } from './memory-harness.js';

contractSuite(memoryHarness('flowing'), { part: LONG_CONTRACT });
