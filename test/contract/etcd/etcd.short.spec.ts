import { contractSuite, SHORT_CONTRACT } from 'bedrock-testkit';
import { etcdHarness } from './etcd-harness.js';

contractSuite(etcdHarness('one server'), { part: SHORT_CONTRACT });
