import type { CostChoice } from '../data/period.js';
import { FileLink } from './file-link.js';

export function CostFiles({
  chain,
  choice,
  zone,
}: {
  readonly chain: string;
  readonly choice: CostChoice;
  readonly zone: string;
}) {
  const { shown, by } = choice;
  const time = { from: new Date(shown.fromMs).toISOString(), to: new Date(shown.toMs).toISOString() };
  // One row for each day: other tools can add days up as needed.
  const bucket = shown.size === 'DAY' ? 'HOUR' : 'DAY';
  const figures = new URLSearchParams({
    ...time,
    chains: chain,
    bucket,
    groupBy: by,
    timeZone: zone,
  });
  const lines = new URLSearchParams({ ...time, chains: chain });
  return (
    <p class="tools">
      {['csv', 'ndjson', 'parquet'].map((format) => (
        <FileLink key={format} path={`/export/costs.${format}`} query={figures}>
          {`${bucket === 'HOUR' ? 'Hours' : 'Days'} as ${format}`}
        </FileLink>
      ))}
      <FileLink path="/export/submissions.csv" query={lines}>
        Every submission with its fee as csv
      </FileLink>
    </p>
  );
}
