import { COMMON_FAULTS, LEADER_FAULTS } from './common-faults.js';
import { faultSuite } from './suite.js';
import { zookeeperEnsembleFixture, zookeeperFixture } from './zookeeper-fixture.js';

faultSuite([
  { on: 'ZooKeeper', start: zookeeperFixture, faults: COMMON_FAULTS },
  { on: 'an ensemble of ZooKeeper', start: zookeeperEnsembleFixture, faults: LEADER_FAULTS },
]);
