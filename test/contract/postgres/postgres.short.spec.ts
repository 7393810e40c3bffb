import { contractSuite, SHORT_CONTRACT } from 'bedrock-testkit';
import { postgresHarness } from './postgres-harness.js';

contractSuite(postgresHarness(), { part: SHORT_CONTRACT });
