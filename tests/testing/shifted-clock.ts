const RealDate = Date;
const realNow = RealDate.now.bind(RealDate);

/**
 * From now on the wall clock of this process is off by `offsetMs()` milliseconds, which is called at each look at the clock. Timers,
 * `performance.now()` and OpenSSL's clock stay true, as they do when a real clock is set. @returns a function that puts it right
 */
export function shiftClock(offsetMs: () => number): () => void {
  const now = () => realNow() + offsetMs();
  const shifted: DateConstructor = new Proxy(RealDate, {
    construct: (target, given, newTarget): Date =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget === shifted ? target : newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, property, receiver) => (property === 'now' ? now : Reflect.get(target, property, receiver)),
  });
  RealDate.prototype.constructor = shifted;
  globalThis.Date = shifted;
  return () => {
    RealDate.prototype.constructor = RealDate;
    globalThis.Date = RealDate;
  };
}
