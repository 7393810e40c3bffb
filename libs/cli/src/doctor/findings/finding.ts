/** What `doctor` checks. Each has a section of this name in docs/operations/doctor.md. */
export const CHECKS = [
  'reachable',
  'version',
  'role',
  'eviction',
  'memory',
  'persistence',
  'replicas',
  'scripts',
  'slots',
  'rights',
  'tables',
  'pooler',
  'lease',
  'session',
  'members',
  'clock',
  'latency',
  'locks',
] as const;
export type Check = (typeof CHECKS)[number];

/** `problem`: can cost a lock, or prevents locks from being taken. `note`: concerns some applications, or could not be checked. */
export type FindingState = 'ok' | 'note' | 'problem';

/** A fact, and for a problem what to do. */
export interface Finding {
  readonly check: Check;
  readonly state: FindingState;
  /** May contain text of a server, so escape it before it is shown. */
  readonly text: string;
}

/** The findings about one server, or about the backend as a whole. */
export interface Examination {
  /** `host:port`, the id of a node, or what the backend is called. */
  readonly subject: string;
  readonly findings: readonly Finding[];
}

export function ok(check: Check, text: string): Finding {
  return { check, state: 'ok', text };
}

export function note(check: Check, text: string): Finding {
  return { check, state: 'note', text };
}

export function problem(check: Check, text: string): Finding {
  return { check, state: 'problem', text };
}
