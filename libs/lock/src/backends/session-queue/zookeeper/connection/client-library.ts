// @ts-expect-error -- the package has no types: client-types.ts declares the part that is used
import library from 'node-zookeeper-client';
import type { ClientLibrary } from './client-types.js';

export const zookeeper = library as ClientLibrary;
