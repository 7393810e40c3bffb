import { Suspicion } from '../../../../libs/lock/src/backends/kit/suspicion.js';

describe('a suspicion', () => {
  it('is reported to every listener until it leaves: of one resource, or of all', () => {
    const { onSuspect, report } = new Suspicion();
    const told: unknown[] = [];
    const leave = onSuspect((resource) => told.push(['one', resource]));
    onSuspect((resource) => told.push(['two', resource]));
    report('stock');
    leave();
    leave();
    report(undefined);
    expect(told).toEqual([
      ['one', 'stock'],
      ['two', 'stock'],
      ['two', undefined],
    ]);
  });
});
