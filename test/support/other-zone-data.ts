// Runs a process with other time zone data. `other-zone-data.ts URL RELEASE ZONE LIKE` uses the clocks of LIKE for ZONE. It
// computes the statistics of the database as far as it may, and prints its work and its results as JSON.
const [url = '', release = '', zone = '', like = ''] = process.argv.slice(2);
Object.defineProperty(process, 'versions', { value: { ...process.versions, tz: release } });
const Real = Intl.DateTimeFormat;
Intl.DateTimeFormat = function (locale?: string, options?: Intl.DateTimeFormatOptions) {
  return new Real(locale, options?.timeZone === zone ? { ...options, timeZone: like } : options);
} as unknown as typeof Real;

// Modules that read zones must be loaded only after this.
const { createDataSource } = await import('../../src/platform/database.js');
const { RollUp } = await import('../../src/statistics/roll-up/roll-up.js');
const { readDays } = await import('./stored-days.js');
const { readDatabaseFacts } = await import('../../src/api/own-health/readiness-facts.query.js');

const dataSource = await createDataSource({ url, poolSize: 4 }).initialize();
try {
  const before = await readDays(dataSource);
  const refused = await new RollUp(dataSource).run().then(
    () => null,
    (error: unknown) => String(error),
  );
  const { otherZoneData } = await readDatabaseFacts(dataSource);
  process.stdout.write(
    JSON.stringify({
      before,
      after: await readDays(dataSource),
      refused,
      otherZoneData: otherZoneData ?? null,
    }),
  );
} finally {
  await dataSource.destroy();
}
