import type { DataSource } from 'typeorm';
import { ReportReader } from '../../src/statistics/read/report.reader.js';

/** Attempts of each day of the chain `alpha` by the start of the day, as a report returns them with this process's zone data. */
export async function readDays(dataSource: DataSource): Promise<Record<string, number>> {
  const nowUs = BigInt(Date.UTC(2027, 0)) * 1_000n;
  const request = { filter: { chains: ['alpha'] }, bucket: 'DAY', groupBy: [], nowUs } as const;
  const rows = await new ReportReader(dataSource).read(request, ['attempts']);
  return Object.fromEntries(
    [...rows].map(({ timeUs, attempts }) => [
      new Date(Number(timeUs / 1_000n)).toISOString().slice(0, 16),
      Number(attempts),
    ]),
  );
}
