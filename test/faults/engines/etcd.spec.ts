import { COMMON_FAULTS, LEADER_FAULTS } from './common-faults.js';
import { etcdEnsembleFixture, etcdFixture } from './etcd-fixture.js';
import { faultSuite } from './suite.js';

faultSuite([
  { on: 'etcd', start: etcdFixture, faults: COMMON_FAULTS },
  { on: 'three members of etcd', start: etcdEnsembleFixture, faults: LEADER_FAULTS },
]);
