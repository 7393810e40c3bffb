import { acquired, asked, failed, lost, turn } from '../../unit/testkit/hand-made.js';
import { assertSound, evaluate } from './run-result.js';

const SOUND = { history: turn(0, 'a1', 10, 1), limits: {}, remainingKeys: [] };

describe('the result of a lock under faults', () => {
  it('finds nothing where nothing is wrong', () => {
    const failures = [
      asked(20, 'b1', 40),
      failed(41, 'b1'),
      asked(50, 'b2', 60),
      failed(61, 'b2', 'BACKEND_UNAVAILABLE'),
    ];
    const history = [...SOUND.history, ...failures];
    expect(evaluate({ ...SOUND, history, outages: [{ from: 20, to: 30 }] }).violations).toEqual([]);
  });

  it('takes over what the history breaks', () => {
    const history = [...SOUND.history, ...turn(5, 'b1', 20, 2)];
    expect(evaluate({ ...SOUND, history }).violations).toEqual([expect.stringMatching(/^I1: b1 /)]);
  });

  it('names keys that are left', () => {
    expect(evaluate({ ...SOUND, remainingKeys: ['lock on a'] }).violations).toEqual([
      'I8: lock on a is left',
    ]);
  });

  it('finds a grant of a minority, and not one that was over when its caller got it', () => {
    const outages = [{ from: 100, to: 200 }];
    const late = [acquired(150, 'a2', 140, 2), lost(150, 'a2')];
    const history = [...SOUND.history, ...late];
    expect(evaluate({ ...SOUND, history, outages }).violations).toEqual([]);
    const granted = [...history, ...turn(160, 'b1', 170, 3)];
    expect(evaluate({ ...SOUND, history: granted, outages }).violations).toEqual([
      'outage: b1 was granted by a minority',
    ]);
  });

  it('throws what it finds, and what its caller has found, with the history of both', () => {
    expect(assertSound(SOUND)).toMatchObject({ leases: 1 });
    const record = { ...SOUND, remainingKeys: ['lock on a'], others: ['effect: no lease was lost'] };
    expect(() => assertSound(record)).toThrow(
      /the history is kept in .*\neffect: no lease was lost\nI8: lock on a is left$/,
    );
  });

  it('finds an error that no caller can expect', () => {
    const history = [asked(0, 'a1', 40), failed(1, 'a1', 'NO_CODE')];
    expect(evaluate({ ...SOUND, history }).violations).toEqual(['errors: a call failed with NO_CODE']);
  });
});
