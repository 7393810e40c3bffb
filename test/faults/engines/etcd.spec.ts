import { COMMON_FAULTS, LEADER_FAULTS } from './common-faults.js';
import { etcdEnsembleGround, etcdGround } from './etcd-ground.js';
import { faultSuite } from './suite.js';

faultSuite([
  { on: 'etcd', start: etcdGround, faults: COMMON_FAULTS },
  { on: 'three members of etcd', start: etcdEnsembleGround, faults: LEADER_FAULTS },
]);
