import { contractSuite } from 'bedrock-testkit';
import { memoryHarness } from './memory-harness.js';

contractSuite(memoryHarness());
