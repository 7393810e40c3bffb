import { parseArgs } from 'node:util';
import type { BackendName } from './world/scenario.js';

export interface CommandLine {
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  readonly isTraced: boolean;
  readonly backend: BackendName | undefined;
}

/** @throws Error that names the mistake */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      workers: { type: 'string', default: '2' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      backend: { type: 'string' },
    },
  });
  const { backend, seed } = values;
  if (backend !== undefined && backend !== 'single' && backend !== 'combination')
    throw new Error('--backend is single or combination');
  const isOne = seed !== undefined;
  return {
    from: whole('seed', seed ?? values.from),
    seeds: isOne ? 1 : whole('seeds', values.seeds),
    workers: isOne ? 1 : whole('workers', values.workers),
    isTraced: values.trace,
    backend,
  };
}

function whole(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} is a whole number from 1 on`);
  return number;
}
