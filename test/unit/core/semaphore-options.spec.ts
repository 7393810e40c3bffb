import { memory } from 'bedrock-lock/memory';
import {
  PermitSettingsCache,
  resolveSemaphoreSettings,
} from '../../../libs/lock/src/core/options/semaphore-options.js';

const { traits } = memory();
const settings = resolveSemaphoreSettings({ permits: 5_000 }, {}, traits, 'memory');

describe('the settings of permits', () => {
  it('are one object, with one shape, per number of permits', () => {
    const book = new PermitSettingsCache(settings);
    expect(book.of(3)).toBe(book.of(3));
    expect(book.ofCall({ permits: 3 }, traits, 'memory')).toBe(book.of(3));
    expect(book.ofCall(undefined, traits, 'memory')).toBe(book.of(1));
    const later = book.ofCall({ permits: 3, waitMs: 7 }, traits, 'memory');
    expect([later.waitMs, later.shape === book.of(3).shape]).toEqual([7, true]);
    expect(book.of(3).shape).toEqual({ mode: 'shared', units: 3, capacity: 5_000, order: 'any' });
    expect(Object.isFrozen(book.of(3)) && Object.isFrozen(book.of(3).shape)).toBe(true);
  });

  it('do not fill the memory, however many numbers are asked for', () => {
    const book = new PermitSettingsCache(settings);
    const first = book.of(1);
    for (let count = 2; count <= 1_024; count += 1) book.of(count);
    expect(book.of(1)).toBe(first);
    book.of(1_025);
    expect(book.of(1)).not.toBe(first);
  });
});
