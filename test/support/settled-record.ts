import type { DataSource } from 'typeorm';
import { PROJECTION_FACTORIES } from '../../src/projections/all-projections.js';
import { waitFor } from './service-process.js';

const PATIENCE_MS = 240_000;

/** Waits until a service has nothing left to project or to compute. */
export async function waitUntilSettled(dataSource: Pick<DataSource, 'query'>): Promise<void> {
  await waitFor(
    'the read models and figures to be at the end',
    async () => {
      const [row] = await dataSource.query<{ done: boolean }[]>(
        `SELECT (SELECT count(*) FROM projection_checkpoint WHERE position = (SELECT position FROM log_head)) = $1::int
            AND NOT EXISTS (SELECT FROM roll_up_mark) AND EXISTS (SELECT FROM statistic) AS done`,
        [Object.keys(PROJECTION_FACTORIES).length],
      );
      return row?.done === true ? true : undefined;
    },
    PATIENCE_MS,
  );
}
