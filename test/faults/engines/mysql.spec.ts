import { mysqlFixture } from './mysql-fixture.js';
import { SQL_FAULTS } from './sql-faults.js';
import { faultSuite } from './suite.js';

faultSuite([{ on: 'MariaDB', start: mysqlFixture, faults: SQL_FAULTS }]);
