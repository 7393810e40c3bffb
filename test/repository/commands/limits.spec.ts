import { setTimeout as sleep } from 'node:timers/promises';

/** More than the limit, and less than three times that. */
const WORK_MS = 600;
const LIMIT_MS = 400;

describe('a machine that is slower than the limits were meant for', () => {
  beforeAll(() => sleep(WORK_MS), LIMIT_MS);
  beforeEach(() => sleep(WORK_MS), LIMIT_MS);

  it('may take three times the limit for a test, and for a hook', () => sleep(WORK_MS), LIMIT_MS);

  it('may do so for a hook again', () => undefined);
});
