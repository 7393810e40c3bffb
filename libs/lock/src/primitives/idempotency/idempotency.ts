import { checkFields, checkFunction, checkWhole } from '../../core/checks.js';
import { InvalidOptionError, LockAbortedError } from '../../core/errors.js';
import {
  IdempotencyInFlightError,
  IdempotencyLostError,
  IdempotencyMismatchError,
  IdempotencyResultError,
} from '../../core/idempotency-errors.js';
import {
  checkKey,
  checkRequest,
  type IdempotencyNamespace,
  type IdempotencySettings,
  type IdempotentRequest,
} from '../../core/options/idempotency-options.js';
import { narrowInPlaces } from '../../core/key.js';
import type { RecordView } from '../../core/ports/records.js';
import { asLockError, isUnavailable, mayHaveActed } from '../../core/unavailable.js';
import { Backoff } from '../../runtime/backoff.js';
import { sleepUnlessAborted } from '../../runtime/wakeable-sleep.js';
import type { RecordEngine } from '../../engine/records/record-engine.js';
import { RecordRun } from '../../engine/records/record-run.js';
import { fingerprintOf } from './fingerprint.js';
import { resultOfText, textOfResult, type ResultCodec } from './result-codec.js';
import { SealedText } from './sealed-text.js';
import { OneTimeTokens } from './one-time-tokens.js';

/** What a body learns of its run. */
export interface IdempotentRun {
  /** What the record is called: prefix, name, operation, scope and key, with colons between them. */
  readonly resource: string;
  /** Aborts when the record is lost, so that another run may begin. */
  readonly signal: AbortSignal;
}

/** The answer to a request. */
export interface IdempotentResult<T> {
  readonly value: T;
  /** True when it is the result of an earlier request. */
  readonly replayed: boolean;
}

/** The state of a key. */
export interface IdempotencyView {
  readonly state: 'inFlight' | 'completed';
  /** Until its lease ends, or until the result is forgotten, in ms. */
  readonly remainingMs: number;
}

/** Pauses of a request that waits for the first one, in ms. */
const POLL_MS = { first: 20, longest: 250, factor: 1.5 };
const NEVER_ABORTED: AbortSignal = new AbortController().signal;

/**
 * Runs a request once, and answers its repetitions with the result of the first. A run keeps its
 * key while it lives; that of a process that died is free when its lease has ended. Created once by
 * `bedrock.idempotency(name)` and used everywhere.
 */
export class Idempotency {
  readonly #engine: RecordEngine;
  readonly #sealed: SealedText;
  readonly #tokens: OneTimeTokens;

  /** @internal They come from `bedrock.idempotency()`. */
  constructor(
    engine: RecordEngine,
    /** The name it was created with. */
    readonly name: string,
    /** What its records begin with: prefix and name. */
    readonly resource: string,
    /** Its options, complete and frozen. */
    readonly settings: IdempotencySettings,
  ) {
    this.#engine = engine;
    this.#sealed = new SealedText(settings.encryption, engine.clock);
    this.#tokens = new OneTimeTokens(engine, resource);
  }

  /**
   * The result of the body for this key: run now, or stored by the first request. A body that
   * throws stores nothing (unless the codec stores errors), so that the next request runs again.
   * @throws InvalidOptionError, IdempotencyMismatchError, IdempotencyInFlightError,
   * IdempotencyLostError, IdempotencyResultError, BackendUnavailableError, LockAbortedError,
   * LockClosedError, and the errors of the body
   */
  async run<T>(
    request: IdempotentRequest,
    body: (run: IdempotentRun) => Promise<T> | T,
    codec: ResultCodec<T> = {},
  ): Promise<IdempotentResult<T>> {
    checkRequest(request, this.settings);
    checkFunction('body', body);
    const resource = this.#resourceOf(request.key, request);
    this.#engine.assertOpen(resource);
    const fingerprint = this.#fingerprintOf(request.payload);
    let begun: RecordRun | RecordView;
    try {
      begun = await this.#begin(resource, fingerprint, request);
    } catch (error) {
      if (!isUnavailable(error) || this.settings.onUnavailable === 'fail') throw error;
      this.#engine.events.emit('idempotency.unprotected', { resource, error });
      return { value: await body({ resource, signal: NEVER_ABORTED }), replayed: false };
    }
    if (!(begun instanceof RecordRun)) return { value: this.#replay(resource, begun, codec), replayed: true };
    return { value: await this.#run(begun, body, codec), replayed: false };
  }

  /** The state of a key; undefined for one that is free. @throws InvalidOptionError, BackendUnavailableError */
  async inspect(key: string, where: IdempotencyNamespace = {}): Promise<IdempotencyView | undefined> {
    const view = await this.#ask(this.#checked(key, where), (at) => this.#engine.records.read(at));
    if (view === undefined) return undefined;
    return { state: view.value === undefined ? 'inFlight' : 'completed', remainingMs: view.remainingMs };
  }

  /**
   * Forgets a key, so that the next request runs; false when it was free. @throws
   * InvalidOptionError, BackendUnavailableError
   */
  async forget(key: string, where: IdempotencyNamespace = {}): Promise<boolean> {
    return this.#ask(this.#checked(key, where), (at) => this.#engine.records.remove(at));
  }

  /**
   * A token for one request that is still to come: a form, an operation. `consume()` is true for it once.
   * @throws InvalidOptionError, BackendUnavailableError
   */
  issueToken(options: { readonly ttlMs?: number } = {}): Promise<string> {
    checkFields('options', options, new Set(['ttlMs']));
    const { ttlMs = 30 * 60_000 } = options;
    return this.#tokens.issue(checkWhole('ttlMs', ttlMs, 1, 366 * 24 * 3_600_000));
  }

  /**
   * True for the first call with a token that was issued and is not over. @throws
   * InvalidOptionError, BackendUnavailableError
   */
  async consume(token: string): Promise<boolean> {
    return this.#tokens.consume(checkKey('token', token, 255));
  }

  /** A run that has begun, or the record of one that was completed. */
  async #begin(
    resource: string,
    fingerprint: string,
    { waitMs = this.settings.waitMs, signal }: IdempotentRequest,
  ): Promise<RecordRun | RecordView> {
    const { clock, records, events } = this.#engine;
    const deadline = clock.now() + waitMs;
    const ref = { resource, owner: this.#engine.newOwner() };
    const pauses = new Backoff(POLL_MS);
    for (;;) {
      if (signal?.aborted === true) throw new LockAbortedError(resource, { cause: signal.reason });
      const sentAt = clock.now();
      const { leaseMs } = this.settings;
      const notAfter = sentAt + this.#engine.backend.operationTimeoutMs;
      let view: RecordView | undefined;
      try {
        view = await records.begin({ ...ref, fingerprint, leaseMs, notAfter });
      } catch (cause) {
        const error = asLockError(cause, this.#engine.backend.name, resource);
        // It may be there now or soon, and no run owns it.
        if (mayHaveActed(error)) this.#engine.abandonInBackground({ ...ref, notAfter, leaseMs });
        // Nothing is repeated here: the next request asks again.
        if (isUnavailable(error)) events.emit('backend.unavailable', { resource, error, retryInMs: 0 });
        throw error;
      }
      if (view === undefined) {
        events.emit('idempotency.begun', { resource });
        return new RecordRun(this.#engine, ref, this.settings.leaseMs, sentAt);
      }
      if (view.fingerprint !== fingerprint) {
        events.emit('idempotency.refused', { resource, reason: 'mismatch' });
        throw new IdempotencyMismatchError(resource);
      }
      if (view.value !== undefined) return view;
      const leftMs = deadline - clock.now();
      if (leftMs <= 0) {
        events.emit('idempotency.refused', { resource, reason: 'inFlight' });
        throw new IdempotencyInFlightError(resource, view.remainingMs);
      }
      await sleepUnlessAborted(clock, Math.min(pauses.take(), leftMs), signal === undefined ? [] : [signal]);
    }
  }

  #replay<T>(resource: string, { value = '' }: RecordView, codec: ResultCodec<T>): T {
    const text = this.#sealed.open(value, resource);
    const result = text === undefined ? undefined : resultOfText(text);
    if (result === undefined) throw new IdempotencyResultError(resource, 'unreadable');
    this.#engine.events.emit('idempotency.replayed', { resource });
    if (result.kind === 'nothing') throw new IdempotencyResultError(resource, result.reason);
    if (result.kind === 'error') throw codec.decodeError?.(result.stored) ?? result.stored;
    return codec.decode === undefined ? (result.stored as T) : codec.decode(result.stored);
  }

  async #run<T>(
    run: RecordRun,
    body: (run: IdempotentRun) => Promise<T> | T,
    codec: ResultCodec<T>,
  ): Promise<T> {
    const { resource } = run.ref;
    let value: T;
    try {
      value = await body({
        resource,
        get signal() {
          return run.signal;
        },
      });
    } catch (error) {
      await this.#failed(run, error, codec);
      throw error;
    }
    const outcome = await this.#store(run, 'value', () =>
      codec.encode === undefined ? value : codec.encode(value),
    );
    if (outcome === 'lost') throw new IdempotencyLostError(resource);
    return value;
  }

  /** The error of the body counts, whatever comes of storing it. A codec that fails at it stores nothing. */
  async #failed<T>(run: RecordRun, error: unknown, codec: ResultCodec<T>): Promise<void> {
    let stored: unknown;
    try {
      stored = codec.encodeError?.(error);
    } catch {
      stored = undefined;
    }
    if (stored !== undefined) {
      await this.#store(run, 'error', () => stored);
      return;
    }
    await run.abandon();
    this.#engine.events.emit('idempotency.abandoned', { resource: run.ref.resource, tookMs: run.tookMs });
  }

  async #store(run: RecordRun, kind: 'value' | 'error', encode: () => unknown) {
    const { events, backend } = this.#engine;
    const { resource } = run.ref;
    const { keepMs, maxResultBytes } = this.settings;
    const text = textOfResult(kind, encode, maxResultBytes);
    const outcome = await run.complete(this.#sealed.seal(text, resource), keepMs);
    const { tookMs } = run;
    if (outcome === 'lost') events.emit('idempotency.lost', { resource, tookMs });
    else if (outcome === 'stored')
      events.emit('idempotency.completed', { resource, tookMs, bytes: Buffer.byteLength(text) });
    else {
      const error = asLockError(new Error('no answer to a completion'), backend.name, resource);
      events.emit('idempotency.unconfirmed', { resource, error });
    }
    return outcome;
  }

  #fingerprintOf(payload: unknown): string {
    const { fingerprint } = this.settings;
    if (fingerprint === undefined) return fingerprintOf(payload);
    const text: unknown = fingerprint(payload);
    if (typeof text !== 'string' || text.length > 512)
      throw new InvalidOptionError(
        'fingerprint',
        'a function that gives a string of at most 512 characters',
        text,
      );
    return text;
  }

  #checked(key: string, where: IdempotencyNamespace): string {
    checkFields('namespace', where, new Set(['operation', 'scope']));
    checkRequest({ ...where, key }, this.settings);
    return this.#resourceOf(key, where);
  }

  #resourceOf(key: string, { operation, scope }: IdempotencyNamespace): string {
    return narrowInPlaces(this.resource, [operation, scope, key]);
  }

  async #ask<A>(resource: string, ask: (resource: string) => Promise<A>): Promise<A> {
    try {
      return await ask(resource);
    } catch (error) {
      throw asLockError(error, this.#engine.backend.name, resource);
    }
  }
}
