// Loaded before a program with `--import`: its clock is ahead by CLOCK_AHEAD_MS, as if it had started later.
const { now } = Date;
const ahead = Number(process.env.CLOCK_AHEAD_MS);
Date.now = () => now() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (real, given, target) =>
    Reflect.construct(real, given.length > 0 ? given : [now() + ahead], target),
});
