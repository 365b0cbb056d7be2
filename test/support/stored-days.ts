import type { DataSource } from 'typeorm';
import { StatisticsReader } from '../../src/statistics/read/statistics.reader.js';

/** Attempts of each day of the chain `alpha` by the start of the day, as a report returns them with this process's zone data. */
export async function readDays(dataSource: DataSource): Promise<Record<string, number>> {
  const rows = await new StatisticsReader(dataSource).getStatistics({
    filter: { chains: ['alpha'] },
    bucket: 'DAY',
    groupBy: [],
    nowUs: BigInt(Date.UTC(2027, 0)) * 1_000n,
  });
  return Object.fromEntries(
    [...rows].map(({ timeUs, attempts }) => [
      new Date(Number(timeUs / 1_000n)).toISOString().slice(0, 16),
      Number(attempts),
    ]),
  );
}
