import { jest } from '@jest/globals';
import { contractSuite } from 'bedrock-testkit';
import { postgresHarness } from './postgres-harness.js';

// Bounds on time meet a machine that has other servers and tests to run: once more, and the failure is printed.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
contractSuite(postgresHarness());
