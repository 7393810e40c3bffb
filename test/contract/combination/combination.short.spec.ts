import { contractSuite, SHORT_CONTRACT } from 'bedrock-testkit';
import { combinationHarness } from './combination-harness.js';

contractSuite(combinationHarness(), { part: SHORT_CONTRACT });
