import { Injectable } from '@nestjs/common';
import { Leasable, Lock, Mutex, Semaphore } from 'bedrock-lock';
import { getLockToken, InjectLock } from 'nestjs-bedrock';
import { Test } from '@nestjs/testing';
import { closeAll, locksOf, start, startError } from '../app.js';

afterEach(closeAll);

const SEATS = { name: 'seats', kind: 'semaphore', permits: 3 } as const;

describe('@InjectLock()', () => {
  @Injectable()
  class Theatre {
    constructor(
      readonly name: Date,
      @InjectLock('seats') readonly seats: Mutex,
    ) {}
  }
  class Cinema {
    @InjectLock('seats') readonly seats!: Mutex;
  }
  class Base {
    @InjectLock('seats') readonly seats!: Mutex;
  }
  class Derived extends Base {}

  it.each([
    ['a constructor', Theatre, 'Theatre'],
    ['a property', Cinema, 'Cinema'],
    ['an inherited property', Derived, 'Base'],
  ])(
    'on %s stops the start when the lock is of another class than declared',
    async (_place, provider, owner) => {
      const providers = [provider, { provide: Date, useValue: new Date(0) }];
      const error = await startError({ imports: [locksOf([SEATS])], providers });
      expect(error).toMatchObject({ code: 'INVALID_OPTION', field: '@InjectLock()' });
      expect(error.message).toBe(
        `@InjectLock() must be declared as Semaphore in ${owner}, since "seats" is a semaphore; got "Mutex"`,
      );
      await expect(start({ imports: [locksOf(['seats'])], providers })).resolves.toBeDefined();
    },
  );

  it('takes what the class of the kind is made of, and what tells nothing', async () => {
    @Injectable()
    class Hall {
      constructor(
        @InjectLock('seats') readonly exact: Semaphore,
        @InjectLock('seats') readonly above: Leasable,
        @InjectLock('order') readonly lock: Lock,
        @InjectLock('seats') readonly any: unknown,
        @InjectLock('seats') readonly part: Pick<Semaphore, 'run'>,
      ) {}
    }
    const app = await start({ imports: [locksOf([SEATS, 'order'])], providers: [Hall] });
    expect(app.get(Hall).exact).toBe(app.get(Hall).part);
  });

  it('lets a test put a double in the place of a lock', async () => {
    const providers = [Cinema];
    const module = await Test.createTestingModule({ imports: [locksOf(['seats'])], providers })
      .overrideProvider(getLockToken('seats'))
      .useValue({ run: (body: () => unknown) => body() })
      .compile();
    await expect(module.init()).resolves.toBeDefined();
    await module.close();
  });
});
