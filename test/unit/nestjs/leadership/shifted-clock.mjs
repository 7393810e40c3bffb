/** Preloaded into a process (`--import`): its wall clock is CLOCK_SHIFT_MS ahead of the machine's. */
const shiftMs = Number(process.env['CLOCK_SHIFT_MS']);
const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
});
