import { useMemo } from 'preact/hooks';
import BARS from '../data/bars.graphql?raw';
import type { BarFragment, BarsQuery, BarsQueryVariables } from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, type Moment } from '../data/view.js';
import { moment, share } from '../data/words.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EVERY_MS = 300_000;

/** Most nodes with bars; beyond that, rows are easier to read. */
const MOST_NODES = 100;

/**
 * Health history of each node and its DA layer: hours of a day, and days of a quarter, by the clocks of the zone, up to the
 * moment shown.
 */
export function useBars(
  nodes: readonly string[],
  { asOf, knownAt }: Moment,
  zone: string,
): ReadonlyMap<string, NodeBars> {
  const shown = nodes.slice(0, MOST_NODES);
  const variables = (): BarsQueryVariables => {
    const ends = [asOf, knownAt].flatMap((time) => (time === null ? [] : Date.parse(time)));
    const to = Math.min(nowMs(), ...ends.filter((ms) => !Number.isNaN(ms)));
    const back = (ms: number): string => new Date(to - ms).toISOString();
    const times = { hours: back(DAY_MS), days: back(90 * DAY_MS), to: back(0) };
    return { nodes: shown, ...times, timeZone: zone, knownAt };
  };
  const id = shown.length === 0 ? undefined : JSON.stringify([shown, asOf, knownAt, zone]);
  const { answer } = useAnswer<BarsQuery>(BARS, id, variables, EVERY_MS);
  return useMemo(() => {
    const rowsOf = (node: string): NodeBars =>
      BARS_OF_NODE.map(({ field }) => (answer?.[field] ?? []).filter((row) => row.node === node));
    return new Map(shown.map((node) => [node, rowsOf(node)]));
  }, [answer]);
}

/** Figures below this share are never green. */
const GREEN_FROM = 0.95;

/** The bars of a node, from top to bottom. A warning is a time in which the node is up and its DA layer is not healthy. */
const BARS_OF_NODE = [
  { field: 'nodeHours', name: 'Node up, 24 h', word: 'up' },
  { field: 'nodeDays', name: 'Node up, 90 d', word: 'up' },
  { field: 'daHours', name: 'DA healthy, 24 h', word: 'healthy' },
  { field: 'daDays', name: 'DA healthy, 90 d', word: 'healthy' },
] as const;
type BarOfNode = (typeof BARS_OF_NODE)[number];

/** The rows of a node's bars, in their order. */
export type NodeBars = readonly (readonly BarFragment[])[];

/** The health bars of a node; empty until they are answered. There is no bar of the DA layer when nothing is known of it. */
export function HealthBars({
  node,
  bars = [],
  zone,
}: {
  readonly node: string;
  readonly bars: NodeBars | undefined;
  readonly zone: string;
}) {
  const isAnswered = bars.some((rows) => rows.length > 0);
  const isDaKnown = bars.some(
    (rows, index) => BARS_OF_NODE[index]?.word === 'healthy' && timesOf(rows).knownMs > 0,
  );
  const shown = BARS_OF_NODE.filter(({ word }) => word === 'up' || !isAnswered || isDaKnown);
  return (
    <div class="bars">
      {shown.map((of) => (
        <Row key={of.field} of={of} node={node} rows={bars[BARS_OF_NODE.indexOf(of)] ?? []} zone={zone} />
      ))}
    </div>
  );
}

function Row(given: {
  readonly of: BarOfNode;
  readonly node: string;
  readonly rows: readonly BarFragment[];
  readonly zone: string;
}) {
  const { of, node, rows, zone } = given;
  const part = shareOf(of, rows);
  const words = `${share(part)} of the known time`;
  return (
    <div class="bar-row">
      <span class="quiet">{of.name}</span>
      <b class={part !== null && part >= GREEN_FROM ? 'HEALTHY' : stateOf(rows)} title={words}>
        {rows.length === 0 ? '…' : share(part)}
      </b>
      <div class="bar-line" role="img" aria-label={`${of.name}: ${words}`}>
        {rows.map((row, index) => {
          const to = rows[index + 1]?.time;
          // A click leads to the interval; keyboard users reach the same through the charts of the node.
          const lead = (): void =>
            location.assign(linkTo(['node', node], { from: row.time, ...(to !== undefined && { to }) }));
          return (
            <i
              key={row.time}
              class={stateOf([row])}
              title={`from ${moment(row.time, zone)}: ${of.word} ${share(shareOf(of, [row]))} of the known time`}
              onClick={lead}
            />
          );
        })}
      </div>
    </div>
  );
}

function timesOf(rows: readonly BarFragment[]) {
  const sum = (pick: (row: BarFragment) => number): number =>
    rows.reduce((total, row) => total + pick(row), 0);
  const [healthyMs, warningMs, criticalMs] = [
    sum((row) => row.healthyMsFloat),
    sum((row) => row.warningMsFloat),
    sum((row) => row.criticalMsFloat),
  ];
  return { healthyMs, warningMs, criticalMs, knownMs: healthyMs + warningMs + criticalMs };
}

/** Share of the known time; time that was not monitored does not count. */
function shareOf({ word }: BarOfNode, rows: readonly BarFragment[]): number | null {
  const { healthyMs, warningMs, knownMs } = timesOf(rows);
  return knownMs === 0 ? null : (healthyMs + (word === 'up' ? warningMs : 0)) / knownMs;
}

/** The worst state in the buckets. */
function stateOf(rows: readonly BarFragment[]): string {
  const { healthyMs, warningMs, criticalMs } = timesOf(rows);
  if (criticalMs > 0) return 'CRITICAL';
  if (warningMs > 0) return 'WARNING';
  return healthyMs > 0 ? 'HEALTHY' : 'UNKNOWN';
}
