import { useMemo } from 'preact/hooks';
import type { CostAnswer } from '../data/use-cost.js';
import { decimal, inWords, share, shortNamespace, tia, toTia } from '../data/words.js';
import { forecastOf, type Budget } from '../data/bill.js';
import type { Period } from '../data/period.js';
import { addUp, isUnknown } from './added-up.js';
import { inPartOf, uncoveredOf, type ChartBucket } from './buckets.js';
import { Chart } from './chart.js';
import { HatchedWords } from './hatched-words.js';
import { stackOf } from './stack.js';
import { UNITS } from './units.js';

/** The fees of a period: by part in each bucket, and cumulative, next to budgets and forecast. */
export function CostCharts(given: {
  readonly answer: CostAnswer;
  readonly bucket: ChartBucket;
  readonly zone: string;
  readonly period: Period;
  /** Budgets for a period of this size. */
  readonly budgets: readonly Budget[];
  /** The present of the page; ms since 1970. */
  readonly presentMs: number;
}) {
  const { answer, bucket, zone, period, budgets, presentMs } = given;
  const present = new Date(presentMs).toISOString();
  const stack = useMemo(() => stackOf(answer.parts.map(partOf), bucket), [answer, bucket]);
  const uncovered = useMemo(() => uncoveredOf(answer.rows, bucket, present), [answer, bucket]);
  const inPart = useMemo(
    () => inPartOf(answer.rows, bucket, zone, period, present),
    [answer, bucket, zone, present],
  );
  const unknown = answer.total[0]?.unknownShare ?? 0;
  const known = answer.rows.filter((row) => !isUnknown(row)).length;
  // A single bucket has no course: the figure above says it all.
  if (known < 2 && (known === 0 || budgets.length === 0)) return null;
  return (
    <>
      <h2>Over time</h2>
      {known > 1 && inPart.length > 0 && <HatchedWords />}
      <div class="halves">
        {known > 1 && (
          <Chart
            title="Fees by part"
            {...stack}
            uncovered={uncovered}
            inPart={inPart}
            format={UNITS.tia.format}
            zone={zone}
            span={period}
            summary={
              unknown > 0
                ? `Without ${share(unknown)} of the submissions, whose fees are unknown.`
                : 'Upper bounds; the fee of every submission is known.'
            }
          />
        )}
        <AddedUp answer={answer} zone={zone} period={period} budgets={budgets} presentMs={presentMs} />
      </div>
    </>
  );
}

/** The cost of the period so far, next to its budget and its forecast. */
function AddedUp(given: {
  readonly answer: CostAnswer;
  readonly zone: string;
  readonly period: Period;
  readonly budgets: readonly Budget[];
  readonly presentMs: number;
}) {
  const { answer, zone, period, budgets, presentMs } = given;
  const unit = budgets[0]?.unit ?? 'TIA';
  const [chart, end] = useMemo(() => {
    const total = answer.total[0];
    const forecast = total && forecastOf(period, total, answer.rows, presentMs);
    const expectedUtia = forecast && 'utia' in forecast ? forecast.utia : null;
    const added = addUp({ rows: answer.rows, unit, budgets, expectedUtia, span: period, nowMs: presentMs });
    return [added, expectedUtia] as const;
  }, [answer]);
  const [total] = answer.total;
  const words = [
    `so far ${tia(total?.feeMinFloat ?? null, total?.feeMaxFloat ?? null)}`,
    ...budgets.map(({ rule, amountFloat, unit: own }) => `budget ${rule}: ${decimal(amountFloat)} ${own}`),
    ...(end === null ? [] : [`forecast: ${tia(end, end)}`]),
  ];
  return (
    <Chart
      title={`Cumulative fees, ${unit}`}
      {...chart}
      format={(value) => `${decimal(value)} ${unit}`}
      zone={zone}
      span={period}
      isBand
      summary={words.join('; ')}
    />
  );
}

function partOf(row: CostAnswer['parts'][number]) {
  const { time, kind, namespace, feeMinFloat, feeMaxFloat, knownFeeMaxFloat } = row;
  return {
    time,
    part: kind === null ? (namespace === null ? 'no namespace' : shortNamespace(namespace)) : inWords(kind),
    // Until the newest rows are counted there is no upper bound.
    value: toTia(feeMaxFloat ?? knownFeeMaxFloat ?? (feeMinFloat || null)),
  };
}
