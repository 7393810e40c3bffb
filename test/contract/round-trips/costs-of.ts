import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RoundTripCosts } from 'bedrock-testkit';

/** The table of a backend; `docs/backends/README.md` shows it. */
export function costsOf(backend: string): RoundTripCosts {
  const file = join(import.meta.dirname, 'tables', `${backend}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as RoundTripCosts;
}
