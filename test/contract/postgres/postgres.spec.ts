import { contractSuite, LONG_CONTRACT } from 'bedrock-testkit';
import { postgresHarness } from './postgres-harness.js';

contractSuite(postgresHarness(), { part: LONG_CONTRACT });
