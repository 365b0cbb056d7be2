import { useMemo } from 'preact/hooks';
import type { ChartCostsQuery, ChartFiguresQuery } from '../data/answers.gen.js';
import { pageZone } from '../data/view.js';
import { toTia } from '../data/words.js';
import { costBucketFor, fillBuckets, inPartOf, uncoveredOf, type ChartBucket } from './buckets.js';
import type { ChartProps } from './chart-props.js';
import { Chart } from './chart.js';
import { HatchedWords } from './hatched-words.js';
import { UNITS } from './units.js';
import type { Figures } from './use-figures.js';

type Statistics = ChartFiguresQuery['statistics'][number];
type ChartWords = Omit<ChartProps, 'zone' | 'span' | 'onZoom'>;

export function FigureCharts(given: {
  readonly figures: Figures;
  readonly bucket: ChartBucket;
  readonly span: ChartProps['span'];
  readonly onZoom: NonNullable<ChartProps['onZoom']>;
  /** The past moment shown; null is the present. */
  readonly asOf: string | null;
}) {
  const { figures, bucket, span, onZoom, asOf } = given;
  const zone = pageZone();
  const [{ answer }, { answer: costs }] = figures;
  const counted = useMemo(() => (answer ? chartsOf(answer, bucket) : []), [answer, bucket]);
  const costBucket = costBucketFor(span.fromMs, span.toMs);
  const paid = useMemo(() => (costs ? [feesOf(costs, costBucket)] : []), [costs, costBucket]);
  // No chart may appear above one that somebody may be pointing at.
  const charts = answer || figures[0].error ? [...counted, ...paid] : [];
  const uncovered = useMemo(
    () => (answer ? uncoveredOf(answer.statistics, bucket, answer.now) : []),
    [answer, bucket],
  );
  const inPart = useMemo(
    () => (answer ? inPartOf(answer.statistics, bucket, zone, span, asOf ?? answer.now) : []),
    [answer, bucket, zone, span, asOf],
  );
  return (
    <>
      {uncovered.length > 0 && (
        <p class="quiet">
          Shaded: time that is not fully covered; the table below says why. Figures of this time count only
          what is known, and may be too low.
        </p>
      )}
      {inPart.length > 0 && <HatchedWords />}
      <div class="cards charts">
        {charts.map((chart) => (
          <Chart
            key={chart.title}
            {...chart}
            uncovered={uncovered}
            inPart={inPart}
            span={span}
            onZoom={onZoom}
          />
        ))}
      </div>
    </>
  );
}

const lines = (...given: ChartProps['lines'][number][]): ChartProps['lines'] => given;
const accent = '--accent';

function chartsOf(answer: ChartFiguresQuery, bucket: ChartBucket): ChartWords[] {
  const { times, rows } = fillBuckets(answer.statistics, bucket);
  const of = (pick: (row: Statistics) => number | null | undefined): (number | null)[] =>
    rows.map((row) => (row === undefined ? null : (pick(row) ?? null)));
  return [
    {
      title: 'Success rate',
      times,
      ...UNITS.share,
      top: 1,
      lines: lines({ label: 'Success rate', colour: accent, values: of((row) => row.successRate) }),
    },
    {
      title: 'Submissions',
      times,
      ...UNITS.count,
      lines: lines(
        { label: 'Attempts', colour: accent, values: of((row) => row.attemptsFloat) },
        { label: 'Failures', colour: '--critical', values: of((row) => row.failuresFloat) },
      ),
    },
    {
      title: 'Block to inclusion',
      times,
      ...UNITS.span,
      lines: lines(
        { label: 'p50', colour: accent, values: of((row) => row.inclusionLagMs?.p50) },
        { label: 'p90', colour: '--warning', values: of((row) => row.inclusionLagMs?.p90) },
        { label: 'p99', colour: '--critical', values: of((row) => row.inclusionLagMs?.p99) },
      ),
    },
    {
      title: 'Blocks not posted yet',
      times,
      ...UNITS.count,
      lines: lines({
        label: 'Blocks',
        colour: accent,
        values: of((row) => row.pendingAtEndFloat),
      }),
    },
    {
      title: 'Bytes posted',
      times,
      ...UNITS.bytes,
      lines: lines({ label: 'Bytes', colour: accent, values: of((row) => row.sizeBytesFloat) }),
    },
    {
      title: 'Size of blobs',
      times,
      ...UNITS.bytes,
      lines: lines(
        { label: 'p50', colour: accent, values: of((row) => row.blobBytes?.p50) },
        { label: 'p99', colour: '--warning', values: of((row) => row.blobBytes?.p99) },
        { label: 'max', colour: '--critical', values: of((row) => row.blobBytes?.max) },
      ),
    },
    {
      title: 'Gas price, utia',
      times,
      ...UNITS.decimal,
      lines: lines({ label: 'Mean', colour: accent, values: of((row) => row.gasPriceMeanFloat) }),
    },
  ];
}

function feesOf({ costReport }: ChartCostsQuery, bucket: ChartBucket): ChartWords {
  const { times, rows } = fillBuckets(costReport, bucket);
  const fees = (pick: (row: ChartCostsQuery['costReport'][number]) => number | null): (number | null)[] =>
    rows.map((row) => toTia(row === undefined ? null : pick(row)));
  return {
    title: 'Fees',
    times,
    ...UNITS.tia,
    lines: lines(
      { label: 'At most', colour: accent, values: fees((row) => row.feeMaxFloat) },
      { label: 'At least', colour: '--quiet', values: fees((row) => row.feeMinFloat) },
    ),
  };
}
