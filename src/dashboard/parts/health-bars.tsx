import { useMemo } from 'preact/hooks';
import { groupBy } from '../../domain/collections.js';
import BARS from '../data/bars.graphql?raw';
import type { BarFragment, BarsQuery, BarsQueryVariables } from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, pageZone, type Moment } from '../data/view.js';
import { moment, share } from '../data/words.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EVERY_MS = 120_000;

/** Most nodes with bars, those listed first: bars of more would delay the page. */
const MOST_NODES = 100;

/** The lengths of bars, up to the moment shown. */
const BAR_LENGTHS = {
  '24 h': { bucket: 'HOUR', lengthMs: DAY_MS },
  '90 d': { bucket: 'DAY', lengthMs: 90 * DAY_MS },
} as const;
export type BarLength = keyof typeof BAR_LENGTHS;

/** The buckets of a node and of its DA layer. */
export interface NodeBars {
  readonly node: readonly BarFragment[];
  readonly da: readonly BarFragment[];
}

/** Health history of nodes and their DA layers: hours, or days by the clocks of the zone, up to the moment shown. */
export function useBars(
  nodes: readonly string[],
  { asOf, knownAt }: Moment,
  length: BarLength,
): ReadonlyMap<string, NodeBars> {
  const shown = nodes.slice(0, MOST_NODES);
  const { bucket, lengthMs } = BAR_LENGTHS[length];
  const variables = (): BarsQueryVariables => {
    const ends = [asOf, knownAt].flatMap((time) => (time === null ? [] : Date.parse(time)));
    const to = Math.min(nowMs(), ...ends.filter((ms) => !Number.isNaN(ms)));
    const from = new Date(to - lengthMs).toISOString();
    return { nodes: shown, bucket, from, to: new Date(to).toISOString(), timeZone: pageZone(), knownAt };
  };
  const id = JSON.stringify([shown, asOf, knownAt, pageZone(), length]);
  const { answer } = useAnswer<BarsQuery>(shown.length === 0 ? undefined : [BARS, id, variables], {
    everyMs: EVERY_MS,
  });
  return useMemo(() => {
    const of = (rows: readonly BarFragment[] = []) => groupBy(rows, ({ node }) => node);
    const [node, da] = [of(answer?.node), of(answer?.da)];
    return new Map(shown.map((id) => [id, { node: node.get(id) ?? [], da: da.get(id) ?? [] }]));
  }, [answer]);
}

/** Figures below this share are never green. */
const GREEN_FROM = 0.95;
/** In a warning a node is up, and its DA layer is not healthy. */
const PARTS = {
  node: { name: 'Node', word: 'up' },
  da: { name: 'DA', word: 'healthy' },
} as const;
type Part = keyof typeof PARTS;

/** The two bars of a node. There is no bar of the DA layer when nothing is known of it: a follower has one bar. */
export function HealthBars({
  node,
  bars,
  length,
}: {
  readonly node: string;
  /** Undefined until they are answered. */
  readonly bars: NodeBars | undefined;
  readonly length: BarLength;
}) {
  const isDaKnown = bars === undefined || bars.node.length === 0 || timesOf(bars.da).knownMs > 0;
  return (
    <div class="bars">
      <Bar part="node" rows={bars?.node ?? []} {...{ node, length }} />
      {isDaKnown && <Bar part="da" rows={bars?.da ?? []} {...{ node, length }} />}
    </div>
  );
}

function Bar(given: {
  readonly part: Part;
  readonly node: string;
  readonly rows: readonly BarFragment[];
  readonly length: BarLength;
}) {
  const { part, node, rows, length } = given;
  const { name, word } = PARTS[part];
  const known = shareOf(part, rows);
  const words = `${share(known)} ${word} of the known time`;
  return (
    <div class="bar-row">
      <span class="quiet">
        {name}, {length}
      </span>
      <b class={known !== null && known >= GREEN_FROM ? 'HEALTHY' : stateOf(rows)} title={words}>
        {rows.length === 0 ? '…' : share(known)}
      </b>
      {/* Words above say the same, and the control of times leads to the same stretches. */}
      <div class="bar-line" aria-hidden="true">
        {rows.map((row, index) => {
          const to = rows[index + 1]?.time;
          return (
            <a
              key={row.time}
              tabIndex={-1}
              class={stateOf([row])}
              title={`from ${moment(row.time)}: ${word} ${share(shareOf(part, [row]))} of the known time`}
              href={linkTo(['node', node], { from: row.time, ...(to !== undefined && { to }) })}
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
function shareOf(part: Part, rows: readonly BarFragment[]): number | null {
  const { healthyMs, warningMs, knownMs } = timesOf(rows);
  return knownMs === 0 ? null : (healthyMs + (part === 'node' ? warningMs : 0)) / knownMs;
}

function stateOf(rows: readonly BarFragment[]): string {
  const { healthyMs, warningMs, criticalMs } = timesOf(rows);
  if (criticalMs > 0) return 'CRITICAL';
  if (warningMs > 0) return 'WARNING';
  return healthyMs > 0 ? 'HEALTHY' : 'UNKNOWN';
}
