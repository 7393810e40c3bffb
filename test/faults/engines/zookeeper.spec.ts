import { COMMON_FAULTS, LEADER_FAULTS } from './common-faults.js';
import { faultSuite } from './suite.js';
import { zookeeperEnsembleGround, zookeeperGround } from './zookeeper-ground.js';

faultSuite([
  { on: 'ZooKeeper', start: zookeeperGround, faults: COMMON_FAULTS },
  { on: 'an ensemble of ZooKeeper', start: zookeeperEnsembleGround, faults: LEADER_FAULTS },
]);
