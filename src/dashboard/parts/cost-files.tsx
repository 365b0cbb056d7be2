import type { CostChoice } from '../data/period.js';
import { FileLink } from './file-link.js';

const FORMATS = [
  ['csv', 'CSV'],
  ['ndjson', 'NDJSON'],
  ['parquet', 'Parquet'],
] as const;

/** Links to the period's costs and submissions as files. */
export function CostFiles(given: {
  readonly chain: string;
  readonly choice: CostChoice;
  readonly zone: string;
}) {
  const { chain, choice, zone } = given;
  const { shown, by } = choice;
  const time = { from: new Date(shown.fromMs).toISOString(), to: new Date(shown.toMs).toISOString() };
  // One row for each day: other tools can add days up as needed.
  const bucket = shown.size === 'DAY' ? 'HOUR' : 'DAY';
  const figures = new URLSearchParams({ ...time, chains: chain, bucket, groupBy: by, timeZone: zone });
  const lines = new URLSearchParams({ ...time, chains: chain });
  return (
    <p class="tools">
      {FORMATS.map(([format, name]) => (
        <FileLink key={format} path={`/export/costs.${format}`} query={figures}>
          {`${bucket === 'HOUR' ? 'Hours' : 'Days'} (${name})`}
        </FileLink>
      ))}
      <FileLink path="/export/submissions.csv" query={lines}>
        Submissions with their fees (CSV)
      </FileLink>
    </p>
  );
}
