import { useMemo } from 'preact/hooks';
import type { ChartProps, Colour } from '../charts/chart-props.js';
import { Chart } from '../charts/chart.js';
import { HatchedWords } from '../charts/hatched-words.js';
import { UNITS } from '../charts/units.js';
import { numberOf, type Sent } from './rest.js';

/** Buckets of the statistics that a node shows, and the length of each in seconds. */
export interface Buckets {
  readonly by: 'hour' | 'day';
  readonly lengthS: number;
  readonly rows: readonly Sent[];
}

/** Whether a bucket was not monitored, so that its values are unknown and above all not zero. */
export function isUnwatched(row: Sent): boolean {
  return row['coverage'] === 0 && numberOf(row['submissions']) === null;
}

/**
 * The gas price that the node reported, or that of the price book; if several prices apply, the one that follows from the
 * computed fees. Null when unknown.
 */
export function gasPriceOf(row: Sent): number | null {
  const [reported, book, gas, fee] = ['avg_gas_price', 'book_gas_price', 'gas_spent_max', 'fee_utia_max'].map(
    (name) => numberOf(row[name]),
  );
  return reported ?? book ?? (gas && fee !== null && fee !== undefined ? fee / gas : null);
}

interface ChartOfBuckets extends Pick<ChartProps, 'title' | 'top' | 'format' | 'steps'> {
  /** Later bars are drawn over earlier ones. */
  readonly lines: readonly (readonly [
    label: string,
    colour: Colour,
    pick: (row: Sent) => number | null,
    shown?: (row: Sent) => number | null,
  ])[];
  readonly bars?: boolean;
}

const field = (name: string) => (row: Sent) => numberOf(row[name]);

const CHARTS: readonly ChartOfBuckets[] = [
  {
    title: 'Submissions',
    ...UNITS.count,
    bars: true,
    lines: [
      ['Failures', '--critical', field('submissions'), field('failures')],
      ['Successes', '--accent', field('successes')],
    ],
  },
  {
    title: 'Success rate',
    ...UNITS.share,
    top: 1,
    lines: [['Success rate', '--accent', field('success_rate')]],
  },
  { title: 'Average gas price, utia', ...UNITS.decimal, lines: [['Gas price', '--accent', gasPriceOf]] },
  {
    title: 'Gas spent',
    ...UNITS.count,
    bars: true,
    lines: [['Gas at least', '--accent', field('gas_spent_min')]],
  },
  { title: 'Bytes posted', ...UNITS.bytes, bars: true, lines: [['Bytes', '--accent', field('bytes')]] },
  {
    title: 'Average submission time',
    ...UNITS.span,
    lines: [['Time', '--accent', field('avg_submission_time_ms')]],
  },
];

/**
 * All charts, each by hour and by day.
 * @param presentMs the end of what is known
 */
export function HistoryCharts(given: {
  readonly hours: Buckets;
  readonly days: Buckets;
  readonly presentMs: number;
}) {
  const { hours, days, presentMs } = given;
  const drawn = useMemo(() => [hours, days].map((buckets) => drawnOf(buckets, presentMs)), [hours, days]);
  return (
    <>
      <p class="quiet">Shaded: no list was seen, so nothing is known about this time.</p>
      <HatchedWords />
      <div class="cards charts">
        {CHARTS.flatMap(({ title, format, steps, top }, chart) =>
          drawn.map(({ by, lines, ...grounds }) => (
            <Chart
              key={`${title} ${by}`}
              title={`${title} by ${by}`}
              format={format}
              steps={steps}
              top={top}
              lines={lines[chart] ?? []}
              {...grounds}
            />
          )),
        )}
      </div>
    </>
  );
}

function drawnOf({ by, lengthS, rows }: Buckets, presentMs: number) {
  const times = rows.map(({ time }) => Date.parse(String(time)) / 1000);
  const ends = times.map((from, index) => times[index + 1] ?? from + lengthS);
  const stretches = times.map((from, index) => ({ from, to: ends[index] ?? from }));
  const known = (pick: (row: Sent) => number | null): (number | null)[] =>
    rows.map((row) => (isUnwatched(row) ? null : pick(row)));
  return {
    by,
    times,
    span: { fromMs: (times[0] ?? 0) * 1000, toMs: (ends.at(-1) ?? 0) * 1000 },
    inPart: stretches.filter(({ from, to }) => from * 1000 <= presentMs && presentMs < to * 1000),
    uncovered: stretches.flatMap((stretch, index) => {
      const unseen = 1 - (numberOf(rows[index]?.['coverage']) ?? 1);
      return unseen > 0 ? [{ ...stretch, share: unseen }] : [];
    }),
    lines: CHARTS.map(({ lines, bars = false }) =>
      lines.map(([label, colour, pick, shown]) => ({
        label,
        colour,
        bars,
        values: known(pick),
        ...(shown && { shown: known(shown) }),
      })),
    ),
  };
}
