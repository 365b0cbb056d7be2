import BARS from '../data/bars.graphql?raw';
import type { BarFragment, BarsQuery, BarsQueryVariables } from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import { useAnswer } from '../data/use-answer.js';
import { moment, share } from '../data/words.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EVERY_MS = 300_000;

/** Health of the DA layer as a node sees it: hours of a day, days of a quarter (of UTC). */
export function HealthBars({
  node,
  asOf,
  zone,
}: {
  readonly node: string;
  readonly asOf: string | null;
  readonly zone: string;
}) {
  const variables = (): BarsQueryVariables => {
    const to = asOf === null ? nowMs() : Date.parse(asOf);
    const back = (ms: number): string => new Date(to - ms).toISOString();
    return { node, hours: back(DAY_MS), days: back(90 * DAY_MS), to: back(0) };
  };
  const { answer } = useAnswer<BarsQuery>(BARS, `${node} ${asOf ?? ''}`, variables, EVERY_MS);
  return (
    <div class="bars">
      <Row name="24 h" rows={answer?.hours ?? []} zone={zone} />
      <Row name="90 d" rows={answer?.days ?? []} zone="UTC" />
    </div>
  );
}

function Row({
  name,
  rows,
  zone,
}: {
  readonly name: string;
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
        {rows.map((row) => (
          <i
            key={row.time}
            class={stateOf(row)}
            title={`from ${moment(row.time, zone)}: up ${share(row.uptime)} of what is known`}
          />
        ))}
      </div>
      <span title="up, of what is known">{share(uptime)}</span>
    </div>
  );
}

/** The worst that a bucket held. */
function stateOf(row: BarFragment): string {
  if (row.criticalMsFloat > 0) return 'CRITICAL';
  if (row.warningMsFloat > 0) return 'WARNING';
  return row.healthyMsFloat > 0 ? 'HEALTHY' : 'UNKNOWN';
}
