import { contractSuite, LONG_CONTRACT } from 'bedrock-testkit';
import { etcdHarness } from './etcd-harness.js';

contractSuite(etcdHarness('one server'), { part: LONG_CONTRACT });
