import { contractSuite } from 'bedrock-testkit';
import { ENSEMBLE } from '../parts.js';
import { etcdHarness } from './etcd-harness.js';

contractSuite(etcdHarness('three servers'), { part: ENSEMBLE });
