import { startBenchServer } from './support/bench-database.js';
import { measureDirtyHours } from './support/dirty-hours.js';
import { readRows, type Bench } from './support/figures.js';
import { measureLateRow } from './support/late-row.js';
import { measureYearOfDays } from './support/year-of-days.js';

const NODES = 1_000;
/** Numbers of submissions under the year of days that is read. */
const ROWS = [1_000_000, 20_000_000] as const;

export const bench: Bench = {
  about: 'computing statistics, reading a year of them, correcting a day',
  run: async ({ nodes = NODES }) => {
    const server = await startBenchServer();
    try {
      const late = await measureLateRow(await server.createDatabase());
      const dirty = await measureDirtyHours(await server.createDatabase(), nodes);
      const year = await measureYearOfDays(server, nodes, [
        readRows('HINDSIGHT_BENCH_FEWER_ROWS', ROWS[0]),
        readRows('HINDSIGHT_BENCH_MORE_ROWS', ROWS[1]),
      ]);
      return [...dirty, ...year, late];
    } finally {
      await server.stop();
    }
  },
};
