// @ts-expect-error -- the package brings no types: what is used of it is in client-types.ts
import library from 'node-zookeeper-client';
import type { ClientLibrary } from './client-types.js';

export const zookeeper = library as ClientLibrary;
