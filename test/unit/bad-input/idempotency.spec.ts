import { Bedrock, type Idempotency } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { tryAll, type Parameter } from './bad-values.js';

const any = (value: unknown): never => value as never;
/** What a client may choose as a key: any text that can be printed. */
const PRINTABLE = ['"5"', '{', '}', '{a}{b}', '{}', '*', ':', '__proto__', 'a reserved prefix'];

describe('bad input to idempotency', () => {
  let backend: FaultyBackend;
  let bedrock: Bedrock;
  let payments: Idempotency;
  let names = 0;

  beforeEach(() => {
    backend = new FaultyBackend(memory());
    bedrock = new Bedrock({ backend });
    payments = bedrock.idempotency('payments');
  });
  afterEach(() => bedrock.close({ graceMs: 0 }));

  const fresh = (options: object): Idempotency => bedrock.idempotency(`payments-${++names}`, options);
  const option = (field: string, good: readonly string[]): Parameter => ({
    name: field,
    field,
    good: ['undefined', ...good],
    use: (v) => fresh({ [field]: v }),
  });
  const secret = new Uint8Array(32);

  const parameters: Parameter[] = [
    {
      name: 'options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: (v) => bedrock.idempotency(`payments-${++names}`, any(v)),
    },
    {
      name: 'name',
      field: 'name',
      good: ['"5"', '*', ':', '__proto__', '{a}{b}'],
      use: (v) => bedrock.idempotency(any(v)),
    },
    option('leaseMs', []),
    option('keepMs', ['2^31']),
    option('waitMs', ['Infinity', '0', '0.5']),
    option('maxKeyLength', []),
    option('maxResultBytes', ['0']),
    option('fingerprint', ['a function']),
    { ...option('encryption', ['an array']), field: /^encryption/ },
    option('onUnavailable', []),
    {
      name: 'encryption key',
      field: /^encryption\.0/,
      good: [],
      use: (v) => fresh({ encryption: [v] }),
    },
    {
      name: 'encryption key id',
      field: 'encryption.0.id',
      good: ['"5"', '__proto__'],
      use: (v) => fresh({ encryption: [{ id: v, secret }] }),
    },
    {
      name: 'encryption key secret',
      field: 'encryption.0.secret',
      good: [],
      use: (v) => fresh({ encryption: [{ id: 'one', secret: v }] }),
    },
    { name: 'request', field: /^request|^key$/, good: [], use: (v) => payments.run(any(v), () => 1) },
    { name: 'key', field: 'key', good: PRINTABLE, use: (v) => payments.run({ key: any(v) }, () => 1) },
    {
      name: 'scope',
      field: /^scope$|^key$/,
      good: ['undefined', ...PRINTABLE, '-1', '0', '0.5', '2^31', '2^53'],
      use: (v) => payments.run({ key: `k${++names}`, scope: any(v) }, () => 1),
    },
    {
      name: 'call waitMs',
      field: 'waitMs',
      good: ['undefined', 'Infinity', '0', '0.5'],
      use: (v) => payments.run({ key: `k${++names}`, waitMs: any(v) }, () => 1),
    },
    {
      name: 'signal',
      field: 'signal',
      good: ['undefined'],
      use: (v) => payments.run({ key: `k${++names}`, signal: any(v) }, () => 1),
    },
    {
      name: 'body',
      field: 'body',
      good: ['a function'],
      use: (v) => payments.run({ key: `k${++names}` }, any(v)),
    },
    { name: 'inspect key', field: 'key', good: PRINTABLE, use: (v) => payments.inspect(any(v)) },
    { name: 'forget key', field: 'key', good: PRINTABLE, use: (v) => payments.forget(any(v)) },
    { name: 'token', field: 'token', good: PRINTABLE, use: (v) => payments.consume(any(v)) },
    {
      name: 'issueToken options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: (v) => payments.issueToken(any(v)),
    },
    {
      name: 'ttlMs',
      field: 'ttlMs',
      good: ['undefined', '2^31'],
      use: (v) => payments.issueToken({ ttlMs: any(v) }),
    },
    {
      name: 'what fingerprint gives',
      field: 'fingerprint',
      good: ['"5"', 'empty text', 'NUL', 'CRLF', 'a lone surrogate', ...PRINTABLE],
      use: (v) => fresh({ fingerprint: () => v }).run({ key: `k${++names}` }, () => 1),
    },
  ];

  it.each(parameters.map((parameter) => [parameter.name, parameter] as const))(
    '%s: each bad value is refused with its field, before anything is sent',
    async (_, parameter) => {
      expect(await tryAll(parameter)).toEqual([]);
      if (parameter.good.length > 0) return;
      expect(backend.calls).toEqual([]);
    },
  );

  it('never shows a secret in an error', () => {
    const shown = () => fresh({ encryption: [{ id: 'one', secret: 'my-secret-passphrase' }] });
    expect(shown).toThrow(/^encryption\.0\.secret must be/);
    expect(shown).not.toThrow(/passphrase/);
    const twice = () =>
      fresh({
        encryption: [
          { id: 'one', secret },
          { id: 'one', secret },
        ],
      });
    expect(twice).toThrow(/encryption\.1\.id must be an id of its own/);
  });

  it('takes keys that differ for different, whatever they contain', async () => {
    const keys = ['a:b', 'a%3Ab', 'a', 'b', 'a{b}', 'a%7Bb%7D'];
    for (const key of keys) expect((await payments.run({ key }, () => key)).replayed).toBe(false);
    expect((await payments.run({ scope: 'a', key: 'b' }, () => 1)).replayed).toBe(false);
    for (const key of keys)
      expect(await payments.run({ key }, () => 1)).toEqual({ value: key, replayed: true });
  });

  it('is refused on a backend that keeps no records', () => {
    const without = new FaultyBackend(memory());
    Object.defineProperty(without, 'records', { value: undefined });
    const bedrockWithout = new Bedrock({ backend: without });
    expect(() => bedrockWithout.idempotency('payments')).toThrow(
      /does not support idempotency; take memory, Redis/,
    );
  });
});
