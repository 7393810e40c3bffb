import type { Redis } from 'ioredis';
import { readFileSync } from 'node:fs';

const PAGE = new URL('../../../../docs/backends/redis.md', import.meta.url);

/** Names that begin with this are those of the documented recipe. */
export const RECIPE_PREFIX = 'shop:';

/** Every rule that the documentation lists as the least that a user needs. */
export function recipe(): string[] {
  const rules = [...readFileSync(PAGE, 'utf8').matchAll(/```acl\n([^`]+)```/g)].flatMap(([, block]) =>
    block!.trim().split(/\s+/),
  );
  if (rules.length === 0) throw new Error('docs/backends/redis.md has no recipe');
  return rules;
}

/** What a cluster needs in addition. */
export function clusterRecipe(): string[] {
  const [, rules = ''] = /on a cluster in addition:\s+`([^`]+)`/.exec(readFileSync(PAGE, 'utf8')) ?? [];
  if (rules === '') throw new Error('docs/backends/redis.md has no recipe for clusters');
  return rules.split(/\s+/);
}

/** Makes a user who may do what the recipe allows and no more. @returns the URL by which it reaches the same server */
export async function leastUser(admin: Redis, url: string): Promise<string> {
  await admin.call('ACL', 'SETUSER', 'least', 'reset', 'on', '>secret', ...recipe());
  return url.replace('redis://', 'redis://least:secret@');
}
