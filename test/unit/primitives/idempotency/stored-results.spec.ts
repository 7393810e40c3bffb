import { randomBytes } from 'node:crypto';
import { Bedrock, type IdempotencyOptions, type SecretKey } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';

const key = (id: string): SecretKey => ({ id, secret: randomBytes(32) });

describe('stored results', () => {
  let store: MemoryStore;
  const bedrocks: Bedrock[] = [];

  /** What another process would have. */
  const payments = (options: IdempotencyOptions = {}) => {
    const bedrock = new Bedrock({ backend: memory({ store }) });
    bedrocks.push(bedrock);
    return bedrock.idempotency('payments', options);
  };
  const stored = (name = 'k') => store.records.read(`payments:::${name}`)?.value ?? '';

  beforeEach(() => (store = new MemoryStore()));
  afterEach(() => Promise.all(bedrocks.splice(0).map((bedrock) => bedrock.close())));

  it.each([undefined, null, 0, '', 'text', false, [], { a: [1, { b: null }] }])(
    'give %j back',
    async (value) => {
      await payments().run({ key: 'k' }, () => value);
      expect(await payments().run({ key: 'k' }, () => 'again')).toEqual({ value, replayed: true });
    },
  );

  it.each<[string, unknown, 'tooLarge' | 'notSerializable']>([
    ['larger than maxResultBytes', 'x'.repeat(1_000), 'tooLarge'],
    ['that JSON cannot say', { a: 1n }, 'notSerializable'],
    ['that JSON drops without a word', () => 1, 'notSerializable'],
  ])('that are %s reach the first caller, and are never run for again', async (_, value, reason) => {
    const one = payments({ maxResultBytes: 500 });
    expect(await one.run({ key: 'k' }, () => value)).toEqual({ value, replayed: false });
    let runs = 0;
    const again = payments().run({ key: 'k' }, () => (runs += 1));
    await expect(again).rejects.toMatchObject({ code: 'IDEMPOTENCY_RESULT', reason });
    expect(runs).toBe(0);
  });

  it('pass through the codec both ways, errors too where it stores them', async () => {
    const codec = {
      encode: (value: Date) => value.getTime(),
      decode: (at: unknown) => new Date(at as number),
      encodeError: (error: unknown) => (error instanceof RangeError ? error.message : undefined),
      decodeError: (message: unknown) => new RangeError(message as string),
    };
    const at = new Date(5);
    await payments().run({ key: 'k' }, () => at, codec);
    expect((await payments().run({ key: 'k' }, () => new Date(6), codec)).value).toEqual(at);

    const fail = (error: Error) => () => Promise.reject<Date>(error);
    await expect(payments().run({ key: 'e' }, fail(new RangeError('no')), codec)).rejects.toThrow('no');
    await expect(payments().run({ key: 'e' }, () => at, codec)).rejects.toThrow(new RangeError('no'));
    await expect(payments().run({ key: 'f' }, fail(new Error('oops')), codec)).rejects.toThrow('oops');
    expect((await payments().run({ key: 'f' }, () => at, codec)).replayed).toBe(false);
  });

  describe('under encryption', () => {
    it('say nothing to a reader of the store, and open with their key', async () => {
      const encryption = [key('2026-1')];
      await payments({ encryption }).run({ key: 'k' }, () => 'card 4242');
      expect(stored()).toMatch(/^sealed\.2026-1\./);
      expect(Buffer.from(stored().split('.')[2]!, 'base64').toString('latin1')).not.toContain('4242');
      expect(await payments({ encryption }).run({ key: 'k' }, () => '')).toEqual({
        value: 'card 4242',
        replayed: true,
      });
      await payments({ encryption }).run({ key: 'other' }, () => 'card 4242');
      expect(stored('other')).not.toBe(stored());
    });

    it('are read with an old key and written with the new one', async () => {
      const [old, fresh] = [key('old'), key('fresh')];
      await payments({ encryption: [old] }).run({ key: 'k' }, () => 1);
      const rotated = payments({ encryption: [fresh, old] });
      expect((await rotated.run({ key: 'k' }, () => 2)).value).toBe(1);
      await rotated.run({ key: 'n' }, () => 3);
      expect(stored('n')).toMatch(/^sealed\.fresh\./);
    });

    it.each<[string, (text: string) => string]>([
      ['was changed', (text) => `${text.slice(0, -4)}${text.endsWith('AAA=') ? 'BBB=' : 'AAA='}`],
      ['is plain text', () => 'plain.{"kind":"value","stored":"forged"}'],
      ['was cut short', (text) => text.slice(0, 24)],
      ['names no key', (text) => text.replace('.one.', '.two.')],
      ['is of another kind', () => 'nonsense'],
    ])('are not given where the text %s, and nothing runs again', async (_, forge) => {
      const encryption = [key('one')];
      await payments({ encryption }).run({ key: 'k' }, () => 1);
      forgeRecord('k', forge(stored()));
      const again = payments({ encryption }).run({ key: 'k' }, () => 2);
      await expect(again).rejects.toMatchObject({ code: 'IDEMPOTENCY_RESULT', reason: 'unreadable' });
    });

    it('do not stand in for those of another key', async () => {
      const encryption = [key('one')];
      await payments({ encryption }).run({ key: 'k' }, () => 'mine');
      await payments({ encryption }).run({ key: 'other' }, () => 'yours');
      forgeRecord('k', stored('other'));
      const again = payments({ encryption }).run({ key: 'k' }, () => 2);
      await expect(again).rejects.toMatchObject({ reason: 'unreadable' });
    });
  });

  function forgeRecord(name: string, value: string): void {
    const resource = `payments:::${name}`;
    store.records.remove(resource);
    store.records.begin({ resource, owner: 'forger', fingerprint: '', leaseMs: 1_000, notAfter: Infinity });
    store.records.complete({ resource, owner: 'forger' }, value, 10_000);
  }
});
