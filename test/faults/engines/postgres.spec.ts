import { postgresFixture } from './postgres-fixture.js';
import { SQL_FAULTS } from './sql-faults.js';
import { faultSuite } from './suite.js';

faultSuite([{ on: 'PostgreSQL', start: postgresFixture, faults: SQL_FAULTS }]);
