import { useMemo } from 'preact/hooks';
import type { CostQuery } from '../data/answers.gen.js';
import { inWords, share, shortNamespace } from '../data/words.js';
import { addUp, type BudgetLine } from './added-up.js';
import { fillBuckets, inPartOf, unwatchedOf, type ChartBucket } from './buckets.js';
import { Chart, type ChartProps } from './chart.js';
import { HatchedWords } from './hatched-words.js';
import { stackOf } from './stack.js';

const MICRO = 1_000_000;
const FIGURE = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 4 });
const tell = (value: number): string => `${FIGURE.format(value)} TIA`;
const exactly = (value: number): string => `${value} TIA`;
const toTia = (utia: number | null | undefined): number | null =>
  utia === null || utia === undefined ? null : utia / MICRO;

/** The fees of a period: stacked by part, and the bounds of their sum as a band. */
export function CostCharts(given: {
  readonly answer: CostQuery;
  readonly bucket: ChartBucket;
  readonly zone: string;
  readonly span: ChartProps['span'];
  /** Budgets for a period of this size. */
  readonly budgets: readonly BudgetLine[];
  /** The past moment shown; null is the present. */
  readonly asOf: string | null;
}) {
  const { answer, bucket, zone, span, budgets, asOf } = given;
  const stack = useMemo(() => stackOf(answer.parts.map(partOf), bucket), [answer, bucket]);
  const band = useMemo(() => bandOf(answer, bucket), [answer, bucket]);
  const unwatched = useMemo(() => unwatchedOf(answer.rows, bucket, answer.now), [answer, bucket]);
  const inPart = useMemo(
    () => inPartOf(answer.rows, bucket, zone, span, asOf ?? answer.now),
    [answer, bucket, zone, span, asOf],
  );
  const shared = { unwatched, inPart, tell, exactly, zone, span };
  const unknown = answer.total[0]?.unknownShare ?? 0;
  return (
    <>
      {inPart.length > 0 && <HatchedWords />}
      <div class="cards charts">
        <Chart
          title="Fees by part, upper bound"
          {...stack}
          {...shared}
          summary={
            unknown > 0
              ? `The fee of ${share(unknown)} of the submissions is not known: the chart does not show them.`
              : 'The fee of every submission is known, or has bounds.'
          }
        />
        <Chart title="Fees of all submissions, lower and upper bound" {...band} {...shared} isBand />
        {(budgets.length > 0 || expected(answer) !== null) && (
          <AddedUp answer={answer} zone={zone} span={span} budgets={budgets} />
        )}
      </div>
    </>
  );
}

const expected = ({ total }: CostQuery): number | null => total[0]?.forecastExpectedFloat ?? null;

/** The cost of the period so far, next to its budget and its expected cost. */
function AddedUp(given: {
  readonly answer: CostQuery;
  readonly zone: string;
  readonly span: ChartProps['span'];
  readonly budgets: readonly BudgetLine[];
}) {
  const { answer, zone, span, budgets } = given;
  const unit = budgets[0]?.unit ?? 'TIA';
  const chart = useMemo(
    () =>
      addUp({
        rows: answer.rows,
        unit,
        budgets,
        expectedUtia: expected(answer),
        span,
        nowMs: Date.parse(answer.now),
      }),
    [answer],
  );
  const end = expected(answer);
  const words = [
    ...budgets.map(
      ({ rule, amountFloat, unit: own }) => `budget of ${rule}: ${FIGURE.format(amountFloat)} ${own}`,
    ),
    ...(end === null ? [] : [`expected at the end: ${tell(end / MICRO)}`]),
  ];
  return (
    <Chart
      title={`Cumulative fees, ${unit}`}
      {...chart}
      tell={(value) => `${FIGURE.format(value)} ${unit}`}
      exactly={(value) => `${value} ${unit}`}
      zone={zone}
      span={span}
      isBand
      summary={words.join('; ')}
    />
  );
}

function partOf({ time, kind, namespace, feeMaxFloat, knownFeeMaxFloat }: CostQuery['parts'][number]) {
  return {
    time,
    part: kind === null ? (namespace === null ? 'no namespace' : shortNamespace(namespace)) : inWords(kind),
    value: toTia(feeMaxFloat ?? knownFeeMaxFloat),
  };
}

function bandOf({ rows }: CostQuery, bucket: ChartBucket) {
  const filled = fillBuckets(rows, bucket);
  const of = (pick: (row: CostQuery['rows'][number]) => number | null): (number | null)[] =>
    filled.rows.map((row) => toTia(row && pick(row)));
  return {
    times: filled.times,
    lines: [
      { label: 'At most', colour: '--accent', values: of((row) => row.feeMaxFloat) },
      { label: 'At least', colour: '--quiet', values: of((row) => row.feeMinFloat) },
    ] as const,
  };
}
