import {
  canonicalJson,
  fingerprintOf,
} from '../../../../libs/lock/src/primitives/idempotency/fingerprint.js';

describe('the fingerprint of a payload', () => {
  it('is the same whatever the order of the fields, at every depth', () => {
    const one = { b: [1, { y: 2, x: 1 }], a: null };
    const other = { a: null, b: [1, { x: 1, y: 2 }] };
    expect(fingerprintOf(one)).toBe(fingerprintOf(other));
    expect(canonicalJson(one)).toBe('{"a":null,"b":[1,{"x":1,"y":2}]}');
  });

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { a: '1' }],
    [{ a: 1 }, { b: 1 }],
    [{ a: [] }, { a: {} }],
    [null, undefined],
    ['', undefined],
    [
      [[1], 2],
      [1, [2]],
    ],
    [0, '0'],
  ])('tells %j from %j', (one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
  });

  it('is that of the bytes, where bytes are given', () => {
    expect(fingerprintOf(Buffer.from('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('sorts names by their UTF-16 units, as RFC 8785 does', () => {
    expect(canonicalJson({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6 })).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    );
  });

  it('knows what a value says of itself, and leaves out what JSON leaves out', () => {
    expect(fingerprintOf({ at: new Date(0), nothing: undefined })).toBe(
      fingerprintOf({ at: '1970-01-01T00:00:00.000Z' }),
    );
  });

  it.each([
    ['a cycle', cycle()],
    ['a bigint', { a: 1n }],
    ['a function', () => 1],
  ])('refuses %s, which JSON cannot say', (_, payload) => {
    expect(() => fingerprintOf(payload)).toThrow(/^payload must be a value that JSON can say/);
  });
});

function cycle(): unknown {
  const one: { self?: unknown } = {};
  one.self = one;
  return one;
}
