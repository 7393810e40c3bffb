import { contractSuite } from 'bedrock-testkit';
import { combinationHarness } from './combination-harness.js';

contractSuite(combinationHarness());
