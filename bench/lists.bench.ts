import { startBenchServer } from './support/bench-database.js';
import { readRows, type Bench } from './support/figures.js';
import { measureLists } from './support/long-lists.js';

/** Numbers of submissions, and of blocks. */
const ROWS = [1_000_000, 4_000_000] as const;

export const bench: Bench = {
  about: 'pages of long lists',
  run: async () => {
    const server = await startBenchServer();
    try {
      return await measureLists(server, [
        readRows('HINDSIGHT_BENCH_FEWER_ROWS', ROWS[0]),
        readRows('HINDSIGHT_BENCH_MORE_ROWS', ROWS[1]),
      ]);
    } finally {
      await server.stop();
    }
  },
};
