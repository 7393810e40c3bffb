import { allCases } from './cases/all.js';
import { VERSIONS } from './site.js';

allCases(VERSIONS[1]);
