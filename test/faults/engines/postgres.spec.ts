import { postgresGround } from './postgres-ground.js';
import { SQL_FAULTS } from './sql-faults.js';
import { faultSuite } from './suite.js';

faultSuite([{ on: 'PostgreSQL', start: postgresGround, faults: SQL_FAULTS }]);
