import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';

/** The HTTP servers on which the application is tried. */
export const ADAPTERS: readonly (readonly [string, () => AbstractHttpAdapter])[] = [
  ['Express', () => new ExpressAdapter()],
];
