import { Flow, innermostFlow } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { BedrockLockModule, type LockInterceptorOptions } from 'nestjs-bedrock';
import { tryAll, type Parameter } from '../../bad-input/bad-values.js';
import { errorOf, startError } from '../app.js';

const CODES = [
  'LOCK_BUSY', 'LOCK_WAIT_TIMEOUT', 'QUEUE_FULL', 'BACKEND_UNAVAILABLE', 'LOCK_CLOSED', 'LOCK_LOST', 'LOCK_REVOKED',
  'IDEMPOTENCY_IN_FLIGHT', 'IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_RESULT', 'IDEMPOTENCY_LOST', 'INVALID_OPTION',
] as const; // prettier-ignore

function root(interceptor: unknown): unknown {
  return BedrockLockModule.forRoot({
    backend: () => memory(),
    interceptor: interceptor as LockInterceptorOptions,
  });
}

function option(
  name: string,
  good: readonly string[],
  field: Parameter['field'] = `interceptor.${name}`,
): Parameter {
  return { name, field, good: ['undefined', ...good], use: (value) => root({ [name]: value }) };
}

describe('a bad option of the interceptor is refused at once', () => {
  const parameters: Parameter[] = [
    { name: 'interceptor', field: /^interceptor/, good: ['undefined', 'true', 'an object'], use: root },
    option('isGlobal', ['true']),
    option('mapErrors', ['true']),
    option('abortOnDisconnect', ['true']),
    option('retryAfterMaxSeconds', []),
    option('statuses', ['an object'], /^interceptor\.statuses/),
    ...CODES.map((code) => ({
      name: code,
      field: `interceptor.statuses.${code}`,
      good: ['undefined'],
      use: (value: unknown) => root({ statuses: { [code]: value } }),
    })),
  ];

  it.each(parameters.map((parameter) => [parameter.name, parameter] as const))(
    '%s',
    async (_name, parameter) => {
      expect(await tryAll(parameter)).toEqual([]);
    },
  );

  it.each([200, 302, 399, 600, 404.5])('a status that is no error: %p', (status) => {
    const error = errorOf(() => root({ statuses: { LOCK_BUSY: status } }));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'interceptor.statuses.LOCK_BUSY' });
  });

  it.each([
    ['interceptor.enabled', { enabled: false }],
    ['interceptor.status', { status: {} }],
    ['interceptor.statuses.LOCK_BUSI', { statuses: { LOCK_BUSI: 423 } }],
    ['interceptor.statuses.LOCK_UNBOUND', { statuses: { LOCK_UNBOUND: 503 } }],
    ['interceptor.statuses.__proto__', { statuses: JSON.parse('{ "__proto__": 423 }') as object }],
  ])('unknown: %s', (field, interceptor) => {
    expect(errorOf(() => root(interceptor))).toMatchObject({ code: 'INVALID_OPTION', field });
  });

  it('from a factory: when the application starts', async () => {
    const useFactory = () => ({ backend: () => memory(), interceptor: { statuses: { LOCK_BUSY: 99 } } });
    const error = await startError({ imports: [BedrockLockModule.forRootAsync({ useFactory })] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'interceptor.statuses.LOCK_BUSY' });
  });
});

describe('a flow of a framework', () => {
  it('refuses what is no function', async () => {
    const good = ['a function'];
    const parts = {
      name: 'part',
      field: 'part',
      good,
      use: (part: unknown) => new Flow().run(part as () => void),
    };
    const use = (isOfKind: unknown) => innermostFlow(isOfKind as (flow: Flow) => flow is Flow);
    const kinds = { name: 'isOfKind', field: 'isOfKind', good, use };
    expect([await tryAll(parts), await tryAll(kinds)]).toEqual([[], []]);
  });
});

describe('the options of the interceptor', () => {
  it('have types', () => {
    // @ts-expect-error no code of a lock error
    const code: LockInterceptorOptions = { statuses: { LOCK_BUSI: 423 } };
    // @ts-expect-error a mistake in the code, which no client should learn of
    const mistake: LockInterceptorOptions = { statuses: { LOCK_UNBOUND: 503 } };
    // @ts-expect-error a text
    const text: LockInterceptorOptions = { retryAfterMaxSeconds: '5' };
    expect([code, mistake, text]).toHaveLength(3);
  });
});
