import { hostname } from 'node:os';
import type { ProcessView } from '../../core/claim.js';

/** This process, as people see it beside its grants. */
export function ownProcessView(label: string | undefined): ProcessView {
  return { host: hostname(), pid: process.pid, ...(label !== undefined && { label }) };
}
