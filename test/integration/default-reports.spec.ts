import { ManualClock } from '../support/manual-clock.js';
import { everyHour, StatisticsWorld } from '../support/statistics-world.js';
import { useApi } from '../support/use-database.js';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const COSTS =
  'time chain submissions gasMin gasMax feeMin feeMax fiatMin fiatMax headerShare dataShare coverage';
const STATISTICS =
  'time chain attempts successes failures blobCount sizeBytes blobBytes { p50 } pendingAtEnd coverage';

/** A record of a day of one node, and of what another one showed at other times. */
function useRecord(ofOther: readonly string[]): ReturnType<typeof useApi> {
  const api = useApi({ clock: new ManualClock(NOW) });
  beforeAll(async () => {
    const world = new StatisticsWorld(api.dataSource);
    await world.addNodes();
    await world.addSubmissions(1, everyHour('2026-11-21T12:00:00Z', '2026-11-22T12:00:00Z'));
    await world.addSubmissions(4, ofOther);
    await world.rollUp();
  });
  return api;
}

describe('reports without times on a small record', () => {
  const api = useRecord([]);

  const four = (args: string): string =>
    [1, 2]
      .map((n) => `c${n}: costReport(${args}) { ${COSTS} } s${n}: statistics(${args}) { ${STATISTICS} }`)
      .join(' ');

  it.each([
    ['QUARTER_HOUR', 24],
    ['HOUR', 24],
    // Days are Berlin's, whose clocks are an hour ahead.
    ['DAY', 2],
  ])('can be requested four at a time by %s', async (bucket, count) => {
    const args = `bucket: ${bucket}, groupBy: [CHAIN, KIND], timeZone: "Europe/Berlin"`;
    const rows = await api.read<Record<string, unknown[]>>(`{ ${four(args)} }`);
    expect(Object.values(rows).map(({ length }) => length)).toEqual(Array(4).fill(count));
  });
});

describe('reports without times next to a node with a clock of 1970', () => {
  const api = useRecord(['1970-01-01T00:00:00Z']);

  it.each([
    ['QUARTER_HOUR', 24],
    ['HOUR', 24],
    ['DAY', 2],
    ['MONTH', 2],
  ])('are answered by %s, as far back as their rows fit', async (bucket, count) => {
    const args = `bucket: ${bucket}, timeZone: "Europe/Berlin"`;
    const { costReport, statistics } = await api.read<Record<string, unknown[]>>(
      `{ costReport(${args}) { submissions } statistics(${args}) { attempts pendingAtEnd } }`,
    );
    expect([costReport, statistics].map((rows) => rows?.length)).toEqual([count, count]);
  });
});
