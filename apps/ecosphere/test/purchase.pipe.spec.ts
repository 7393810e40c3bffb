import { describe, expect, it } from '@jest/globals';
import { BadRequestException } from '@nestjs/common';
import { PurchasePipe } from '../src/shop-front/purchase.pipe.js';

const pipe = new PurchasePipe();

describe('an order', () => {
  it.each([
    [{ buyer: 'ann', requestId: 'a-1' }],
    [{ buyer: 'x'.repeat(64), requestId: 'A_b.c:d-9'.padEnd(64, '0') }],
    [{ buyer: '王 \u{1f468}\u200d\u{1f469}', requestId: '0' }],
    [{ buyer: '__proto__', requestId: '__proto__' }],
  ])('is taken as it is: %j', (order) => {
    expect(pipe.transform(order)).toEqual(order);
  });

  it('gets a request id of its own when it has none', () => {
    const ids = [1, 2].map(() => pipe.transform({ buyer: 'ann' }).requestId);
    expect(ids[0]).toMatch(/^[\w-]{36}$/);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it.each([
    ['body', undefined],
    ['body', null],
    ['body', 'ann'],
    ['body', 5],
    ['body', [{ buyer: 'ann' }]],
    ['buyer', {}],
    ['buyer', { buyer: '' }],
    ['buyer', { buyer: ' \t' }],
    ['buyer', { buyer: '   ' }],
    ['buyer', { buyer: 'a\u0000b' }],
    ['buyer', { buyer: 'a\nb' }],
    ['buyer', { buyer: 'a\ud800b' }],
    ['buyer', { buyer: 'x'.repeat(65) }],
    ['buyer', { buyer: 5 }],
    ['buyer', { buyer: null }],
    ['buyer', { buyer: ['ann'] }],
    ['requestId', { buyer: 'ann', requestId: '' }],
    ['requestId', { buyer: 'ann', requestId: null }],
    ['requestId', { buyer: 'ann', requestId: 5 }],
    ['requestId', { buyer: 'ann', requestId: 'a b' }],
    ['requestId', { buyer: 'ann', requestId: 'é' }],
    ['requestId', { buyer: 'ann', requestId: 'x'.repeat(65) }],
    ['items', { buyer: 'ann', items: 2 }],
    ['__proto__', JSON.parse('{"buyer":"ann","__proto__":{}}') as object],
  ])('is refused with an error that names %s: %j', (field, body) => {
    const error = errorOf(() => pipe.transform(body));
    expect(error).toBeInstanceOf(BadRequestException);
    const response = (error as BadRequestException).getResponse();
    expect(response).toMatchObject({ statusCode: 400, field });
    expect(response).toMatchObject({ message: expect.stringMatching(`^${field} must be `) as unknown });
  });
});

function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
}
