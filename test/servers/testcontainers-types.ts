import type * as testcontainers from 'testcontainers';
import type { Testcontainers } from './src/testcontainers.js';

/** Compiles only while the package has these parts. */
export const fits = (real: typeof testcontainers): Testcontainers => real;
