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

/** Bars are asked for of so many nodes at most; beyond that, rows are read better. */
const MOST_NODES = 100;

/**
 * Health of the DA layer as each node sees it: hours of a day, and days of a quarter by the clocks of the zone.
 * They end at the moment that is looked at.
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
    const bars = new Map<string, NodeBars>(shown.map((node) => [node, { hours: [], days: [] }]));
    for (const row of answer?.hours ?? []) bars.get(row.node)?.hours.push(row);
    for (const row of answer?.days ?? []) bars.get(row.node)?.days.push(row);
    return bars;
  }, [answer]);
}

/** What the bars of a node are drawn of. */
export interface NodeBars {
  readonly hours: BarFragment[];
  readonly days: BarFragment[];
}

/** The health bars of a node; empty ones until they are answered. */
export function HealthBars({
  node,
  bars,
  zone,
}: {
  readonly node: string;
  readonly bars: NodeBars | undefined;
  readonly zone: string;
}) {
  return (
    <div class="bars">
      <Row name="24 h" node={node} rows={bars?.hours ?? []} zone={zone} />
      <Row name="90 d" node={node} rows={bars?.days ?? []} zone={zone} />
    </div>
  );
}

function Row({
  name,
  node,
  rows,
  zone,
}: {
  readonly name: string;
  readonly node: string;
  readonly rows: readonly BarFragment[];
  readonly zone: string;
}) {
  const sum = (pick: (row: BarFragment) => number): number =>
    rows.reduce((total, row) => total + pick(row), 0);
  const [up, down] = [
    sum((row) => row.healthyMsFloat + row.warningMsFloat),
    sum((row) => row.criticalMsFloat),
  ];
  const uptime = up + down === 0 ? null : up / (up + down);
  return (
    <div class="bar-row">
      <span class="quiet">{name}</span>
      <div class="bar-line" role="img" aria-label={`${name}: up ${share(uptime)} of what is known`}>
        {rows.map((row, index) => {
          const to = rows[index + 1]?.time;
          // A click leads to the interval; by keyboard the same is reached by the charts of the node.
          const lead = (): void =>
            location.assign(linkTo(['node', node], { from: row.time, ...(to !== undefined && { to }) }));
          return (
            <i
              key={row.time}
              class={stateOf(row)}
              title={`from ${moment(row.time, zone)}: up ${share(row.uptime)} of what is known`}
              onClick={lead}
            />
          );
        })}
      </div>
      <span title="up, of what is known">
        {rows.length === 0 ? '…' : `${share(uptime)}${uptime === null ? '' : ' up'}`}
      </span>
    </div>
  );
}

/** The worst that a bucket held. */
function stateOf(row: BarFragment): string {
  if (row.criticalMsFloat > 0) return 'CRITICAL';
  if (row.warningMsFloat > 0) return 'WARNING';
  return row.healthyMsFloat > 0 ? 'HEALTHY' : 'UNKNOWN';
}
