import { Injectable, Module } from '@nestjs/common';
import { Idempotency } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import {
  BedrockLockModule,
  getIdempotencyToken,
  InjectIdempotency,
  type IdempotencyRegistration,
} from 'nestjs-bedrock';
import { bedrockOf, closeAll, errorOf, locksOf, start, startError } from '../app.js';

afterEach(closeAll);

@Injectable()
class Injected {
  constructor(@InjectIdempotency('payments') readonly payments: Idempotency) {}
}

/** An application where a feature registers it. */
function feature(...registrations: IdempotencyRegistration[]) {
  const features = registrations.map((registration) => {
    @Module({
      imports: [BedrockLockModule.forFeature([], { idempotency: [registration] })],
      providers: [Injected],
    })
    class Feature {}
    return Feature;
  });
  return { imports: [locksOf(), ...features] };
}

describe('registered idempotency', () => {
  it('is injected, everywhere the same object', async () => {
    const imports = [locksOf([], { idempotency: [{ name: 'payments', keepMs: 5_000 }] })];
    const app = await start({ imports, providers: [Injected] });
    const { payments } = app.get(Injected);
    expect(payments).toBeInstanceOf(Idempotency);
    expect(payments).toMatchObject({ name: 'payments', settings: { keepMs: 5_000 } });
    expect(app.get(getIdempotencyToken('payments'))).toBe(payments);
    expect(bedrockOf(app).idempotency('payments')).toBe(payments);
  });

  it('cannot have the name of a lock on the same backend', async () => {
    const error = await startError({ imports: [locksOf(['payments'], { idempotency: ['payments'] })] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION' });
    expect(error.message).toMatch(/^idempotency "payments": .*mutex/);
  });

  it('gets its options from a factory, for a name that the module lists', async () => {
    const locks = BedrockLockModule.forRootAsync({
      idempotency: ['payments'],
      useFactory: () => ({ backend: () => memory(), idempotency: [{ name: 'payments', keepMs: 7_000 }] }),
    });
    const app = await start({ imports: [locks], providers: [Injected] });
    expect(app.get(Injected).payments.settings.keepMs).toBe(7_000);
  });

  it('is not what a factory alone names', async () => {
    const locks = BedrockLockModule.forRootAsync({
      useFactory: () => ({ backend: () => memory(), idempotency: ['payments'] }),
    });
    const error = await startError({ imports: [locks] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'idempotency' });
    expect(error.message).toContain('those that forRootAsync({ idempotency }) lists');
  });

  it('is registered by features too, with the same options', async () => {
    const app = await start(
      feature({ name: 'payments', keepMs: 5_000 }, { name: 'payments', keepMs: 5_000 }),
    );
    expect(app.get(Injected).payments).toBe(bedrockOf(app).idempotency('payments'));
    const error = await startError(
      feature({ name: 'payments', keepMs: 5_000 }, { name: 'payments', keepMs: 6_000 }),
    );
    expect(error.message).toMatch(/^idempotency "payments": /);
  });

  it('lives on the backend that it names', async () => {
    const backends = { default: () => memory(), records: () => memory() };
    const idempotency = [{ name: 'payments', backend: 'records' }];
    const app = await start({ imports: [locksOf([], { backends, idempotency })], providers: [Injected] });
    const records = bedrockOf(app).bedrock('records');
    expect(app.get(Injected).payments).toBe(records.idempotency('payments'));
  });

  it.each<[string, object]>([
    ['idempotency', { idempotency: 'payments' }],
    ['idempotency[0]', { idempotency: [''] }],
    ['idempotency[1].name', { idempotency: ['payments', { keepMs: 5 }] }],
    ['idempotency[0].backend', { idempotency: [{ name: 'payments', backend: '' }] }],
  ])('is refused where %s is wrong', (field, options) => {
    expect(errorOf(() => locksOf([], options))).toMatchObject({ code: 'INVALID_OPTION', field });
  });

  it('is no kind of lock', () => {
    const error = errorOf(() => locksOf([{ name: 'payments', kind: 'idempotency' } as never]));
    expect((error as Error).message).toContain('idempotency has a list of its own, idempotency: [{ name }]');
  });
});
