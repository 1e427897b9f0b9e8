const RealDate = Date;
const realNow = RealDate.now.bind(RealDate);

/**
 * The wall clock of this process is off by so many milliseconds, asked at each look at it. Timers, `performance.now()` and what
 * OpenSSL takes for the time stay true, as they do when a real clock is set. @returns puts the clock right
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
