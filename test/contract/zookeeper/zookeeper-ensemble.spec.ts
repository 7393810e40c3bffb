import { contractSuite } from 'bedrock-testkit';
import { ENSEMBLE } from '../parts.js';
import { zookeeperHarness } from './zookeeper-harness.js';

contractSuite(zookeeperHarness('three servers'), { part: ENSEMBLE });
