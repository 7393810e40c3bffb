import type { History, Share } from 'bedrock-testkit';
import type { JavaKind } from './java-objects.js';
import type { JavaProcess } from './java-process.js';
import { msOf } from './words.js';

export interface CrowdJob {
  /** Shown as the process in the history. */
  readonly label: string;
  readonly kind: JavaKind;
  readonly name: string;
  readonly threads: number;
  /** Critical sections of each thread. */
  readonly sections: number;
  /** Time inside, ms. @default 0 */
  readonly lengthMs?: number;
  /** A file with a number, which each section reads and writes back plus one. */
  readonly counterFile?: string;
  /** What each of them has of the lock, where several hold it beside each other. @default all of it */
  readonly share?: Share;
}

/** Threads of their own that go through critical sections, as a history that can be judged with that of others. */
export async function javaCrowd(java: JavaProcess, job: CrowdJob): Promise<History> {
  const { kind, name, threads, sections, lengthMs = 0, counterFile } = job;
  const args = [threads, sections, lengthMs, ...(counterFile === undefined ? [] : [counterFile])].map(String);
  const { value = '' } = await java.ask('crowd', [kind, name, 'crowd', ...args]);
  return value.split('\n').flatMap((line, i) => visit(line, job, i));
}

/** `<asked> <entered> <leaving> <left> <token>`. Renewed by the watchdog, the hold has no end of its own. */
function visit(line: string, { label, name, share }: CrowdJob, i: number): History {
  const [asked, entered, leaving, left, token] = line.split(' ');
  const who = { process: label, resource: name };
  const id = `${label}#${i}`;
  return [
    { ...who, kind: 'asked', at: msOf(asked), call: id },
    {
      ...{ ...who, kind: 'acquired', at: msOf(entered), call: id },
      ...{ lease: id, token: Number(token), validUntil: Infinity },
      ...(share !== undefined && { share }),
    },
    { ...who, kind: 'releasing', at: msOf(leaving), lease: id },
    { ...who, kind: 'released', at: msOf(left), lease: id, outcome: 'released' },
  ];
}
