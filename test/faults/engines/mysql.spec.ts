import { mysqlGround } from './mysql-ground.js';
import { SQL_FAULTS } from './sql-faults.js';
import { faultSuite } from './suite.js';

faultSuite([{ on: 'MariaDB', start: mysqlGround, faults: SQL_FAULTS }]);
