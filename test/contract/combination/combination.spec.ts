import { contractSuite, LONG_CONTRACT } from 'bedrock-testkit';
import { combinationHarness } from './combination-harness.js';

contractSuite(combinationHarness(), { part: LONG_CONTRACT });
