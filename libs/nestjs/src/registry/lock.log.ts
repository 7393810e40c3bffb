import { Logger, type LoggerService } from '@nestjs/common';
import type { Bedrock, Clock, LockEventName, RequestVerb } from 'bedrock-lock';
import { LOG_CONTEXT } from '../core/lock.constants.js';
import { onceAMinute } from './once-a-minute.js';

/** Requests whose failure is a `backend.unavailable`. A backend that grants nothing may answer the others. */
const GRANT_REQUESTS: readonly RequestVerb[] = ['claim', 'take', 'begin'];

/** How the events of a Bedrock are logged. */
export interface EventLogOptions {
  /** The name under which its backend is registered. */
  readonly name: string;
  /** False: nothing is logged. Undefined: Nest's logger. */
  readonly logger: LoggerService | false | undefined;
  readonly clock: Clock;
}

/** What a line tells besides its text: the event, and what it carries. */
interface LineFields {
  readonly event: LockEventName;
  readonly [field: string]: unknown;
}

type LineWriter = (
  level: 'log' | 'warn' | 'error',
  text: string,
  fields: LineFields,
  stack?: string,
) => unknown;

/** The log of one Bedrock. */
interface EventLog {
  readonly bedrock: Bedrock;
  readonly name: string;
  readonly clock: Clock;
  readonly write: LineWriter;
}

/** The decorated methods that lead, by the resource of the election. */
const leaderLabels = new WeakMap<Bedrock, Map<string, string>>();

/** Logs what an operator must know about the locks of a Bedrock: one line for each event. */
export function logEvents(bedrock: Bedrock, { name, logger, clock }: EventLogOptions): void {
  if (logger === false) return;
  const log: EventLog = { bedrock, name, clock, write: lineWriter(name, logger) };
  logLeases(log);
  logLeaders(log);
  logOutages(log);
  logStalls(log);
}

/** Makes the lines about an election name the method that leads, as `Ledger.lead()`. */
export function nameLeader(bedrock: Bedrock, resource: string, method: string): void {
  const known = leaderLabels.get(bedrock) ?? new Map<string, string>();
  leaderLabels.set(bedrock, known.set(resource, method));
}

/**
 * A text with its fields behind it. `ConsoleLogger` of Nest 12 prints both on one line; with `json: true`,
 * the text is `message` and the fields are `params`. An object as the message would read `Object(9) {…}` in
 * text, and nest the text inside `message` in JSON. Nest 11 prints the fields on a second line. A logger that
 * drops them still has the facts in the text.
 */
function lineWriter(backendName: string, given: LoggerService | undefined): LineWriter {
  const logger: LoggerService = given ?? new Logger(LOG_CONTEXT);
  // Nest's own logger appends its context.
  const context = given === undefined ? [] : [LOG_CONTEXT];
  // Without the id of the lease: with it, another client could release the lock.
  return (level, text, { event, leaseId: _leaseId, ...facts }, stack) => {
    const trace = stack === undefined ? [] : [stack];
    // A promise of an asynchronous logger goes back to the events, which handle its failure.
    return logger[level](text, { event, backendName, ...facts }, ...trace, ...context) as unknown;
  };
}

function logLeases({ bedrock, write }: EventLog): void {
  // The result of a method that ignores its signal looks like a success.
  bedrock.on('lease.lost', (facts) => {
    const { resource, heldMs, reason, kind } = facts;
    // A closing application ends its own locks; `leader.lost` tells of the lease of a leader.
    if (reason === 'closed' || kind === 'leaderElection') return;
    const text = `lock "${resource}" was lost after ${Math.round(heldMs)} ms: ${reason}`;
    write('warn', text, { event: 'lease.lost', ...facts });
  });
  bedrock.on('lease.revoked', (facts) => {
    const { resource, remainingMs } = facts;
    const text = `lock "${resource}" was revoked: its lease ends in ${Math.round(remainingMs)} ms`;
    write('warn', text, { event: 'lease.revoked', ...facts });
  });
}

function logLeaders({ bedrock, write }: EventLog): void {
  const bodyOf = (resource: string): string =>
    leaderLabels.get(bedrock)?.get(resource) ?? `the body of "${resource}"`;
  bedrock.on('leader.elected', (facts) =>
    write('log', `this process leads "${facts.resource}" now`, { event: 'leader.elected', ...facts }),
  );
  bedrock.on('leader.resigned', (facts) => {
    const text = `this process resigned from "${facts.resource}" after ${Math.round(facts.ledMs)} ms`;
    write('log', text, { event: 'leader.resigned', ...facts });
  });
  bedrock.on('leader.lost', (facts) => {
    const { resource, ledMs, reason } = facts;
    if (reason === 'closed') return;
    const text = `leadership of "${resource}" was lost after ${Math.round(ledMs)} ms: ${reason}`;
    write('warn', text, { event: 'leader.lost', ...facts });
  });
  bedrock.on('leader.overrun', (facts) => {
    const { resource, overdueMs } = facts;
    const late = `${Math.round(overdueMs)} ms after its term`;
    const text = `${bodyOf(resource)} still runs ${late}: make it observe term.signal`;
    write('warn', text, { event: 'leader.overrun', ...facts });
  });
  bedrock.on('leader.failed', ({ error, ...facts }) => {
    const message = error instanceof Error ? error.message : String(error);
    const stack = error instanceof Error ? error.stack : undefined;
    const fields: LineFields = { event: 'leader.failed', ...facts, error: message };
    write('error', `${bodyOf(facts.resource)} failed after its term`, fields, stack ?? message);
  });
}

function logOutages({ bedrock, name, clock, write }: EventLog): void {
  const isDue = onceAMinute(clock);
  let stopListening: (() => void) | undefined;
  /** Logs the end, too: at the first of these requests that is answered. */
  const logOutage = (text: string, fields: LineFields, answered: readonly RequestVerb[]): void => {
    if (!isDue()) return;
    write('error', `backend "${name}": ${text}. Logged once a minute`, fields);
    const loggedAt = clock.now();
    // Only during an outage, since each request has such an event.
    stopListening ??= bedrock.on('backend.request', ({ verb, end, backend }) => {
      if (end === 'unavailable' || !answered.includes(verb)) return;
      stopListening?.();
      stopListening = undefined;
      const awayMs = clock.now() - loggedAt;
      const again = `backend "${name}" (${backend}) answers again after ${Math.round(awayMs)} ms`;
      write('log', again, { event: 'backend.request', backend, verb, end, awayMs });
    });
  };
  bedrock.on('backend.unavailable', ({ error, ...facts }) => {
    // The message alone: the causes of the error may hold addresses and passwords.
    const fields: LineFields = { event: 'backend.unavailable', ...facts, error: error.message };
    logOutage(error.message, fields, GRANT_REQUESTS);
  });
  // A process that only holds its locks claims nothing.
  bedrock.on('lease.renewalFailed', (facts) => {
    const text = `a renewal of "${facts.resource}" has no answer: its lease ends in ${Math.round(facts.remainingMs)} ms`;
    logOutage(text, { event: 'lease.renewalFailed', ...facts }, [...GRANT_REQUESTS, 'renew']);
  });
}

function logStalls({ bedrock, name, clock, write }: EventLog): void {
  const isDue = onceAMinute(clock);
  bedrock.on('loop.stalled', (facts) => {
    if (!isDue()) return;
    const { lateMs, holds } = facts;
    const held = holds === 1 ? '1 lock' : `${holds} locks`;
    const text =
      `the event loop was blocked: a timer fired ${Math.round(lateMs)} ms late, ` +
      `with ${held} of backend "${name}" held. Logged once a minute`;
    write('warn', text, { event: 'loop.stalled', ...facts });
  });
}
