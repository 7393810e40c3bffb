import { contractSuite, LONG_CONTRACT } from 'bedrock-testkit';
import { mysqlHarness } from './mysql-harness.js';

contractSuite(mysqlHarness(), { part: LONG_CONTRACT });
