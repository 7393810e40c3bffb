import { scripts } from '../../libs/lock/src/backends/redis/protocol/scripts.generated.js';
import type { Trace } from './world/world.js';

const names = new Map(Object.entries(scripts).map(([name, { sha1 }]) => [sha1, name]));

/** A line for each event: world time in ms, where it was, and what; ids by their first part, scripts by their names. */
export function traceTo(write: (line: string) => void): Trace {
  return (at, who, what) => {
    const text = what
      .replace(/evalsha ([0-9a-f]{40})/, (whole, hash: string) => names.get(hash as never) ?? whole)
      .replace(/\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '$1');
    write(`${at.toFixed(3).padStart(10)} ${who.padEnd(7)} ${text}`);
  };
}
