import { randomUUID } from 'node:crypto';
import type { Ground } from './scenario.js';

/** A ground on these servers; its keys meet nobody else's, and no library has to escape them. */
export function groundOn(url: string, engines: Pick<Ground, 'urlOf'>): Ground {
  const prefix = `bench-${randomUUID().slice(0, 8)}-`;
  let made = 0;
  return { url, freshKey: () => `${prefix}${made++}`, urlOf: (engine) => engines.urlOf(engine) };
}
