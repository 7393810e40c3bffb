import { contractSuite, SHORT_CONTRACT } from 'bedrock-testkit';
import { mysqlHarness } from './mysql-harness.js';

contractSuite(mysqlHarness(), { part: SHORT_CONTRACT });
