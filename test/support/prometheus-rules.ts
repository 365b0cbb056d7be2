import { reachOf, type AlertCondition } from '../../src/domain/alerts/alert-condition.js';
import { ALERT_RULES, type AlertRule } from '../../src/domain/alerts/alert-rules.js';
import type { Millis } from '../../src/domain/time.js';
import { groupBy } from '../../src/domain/collections.js';

interface PrometheusRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A query for Prometheus, with what differs from our rule. */
interface PrometheusQuery {
  readonly alert: string;
  readonly expr: string;
  /** Summary of the trouble; undefined: the rule's title. */
  readonly summary?: string;
  readonly forMs?: Millis;
}

const MINUTE: Millis = 60_000;

/** Each API process exports the same figures of the database; this merges them into one. */
const oneOf = (series: string): string => `max without (instance, pod) (${series})`;

/** How much such a figure changed, across all processes: a replaced process begins a new series. */
const changeOf = (figure: string, overMs: Millis): string => `delta(${figure}[${overMs / MINUTE}m:30s])`;

const PENDING = oneOf('hindsight_node_pending_blocks');

/** Queries that replace the rules about Hindsight itself: Prometheus sees its parts, even if none of them runs. */
const OURSELVES: Readonly<Record<'NOT_READY' | 'DEGRADED', readonly PrometheusQuery[]>> = {
  NOT_READY: [
    {
      alert: 'HindsightDown',
      expr: 'absent(hindsight_log_position)',
      summary:
        'No metrics of the record: no process of the role api or all is scraped, or the database is unavailable',
    },
    {
      alert: 'HindsightNobodyLeads',
      // From the database, as exported by the API. If that is not scraped, from the observers; if neither is, the answer
      // is unknown.
      expr: 'max(hindsight_shards_held) < 1 or (max(hindsight_leader) < 1 unless on () hindsight_shards_held)',
      summary: 'No Hindsight process is observing',
      forMs: MINUTE,
    },
    {
      alert: 'HindsightNothingRecorded',
      expr: `${changeOf(oneOf('hindsight_log_position'), 5 * MINUTE)} == 0 and on () count(hindsight_node_head_height) > 0`,
      summary: 'Nothing was recorded for five minutes',
      forMs: MINUTE,
    },
  ],
  DEGRADED: [
    {
      alert: 'HindsightProjectionLag',
      expr: `${oneOf('hindsight_projection_lag_seconds')} > 60`,
      summary: 'The read model {{ $labels.projection }} is {{ $value | humanizeDuration }} behind the log',
      forMs: 5 * MINUTE,
    },
    {
      alert: 'HindsightPollsFail',
      expr: 'sum without (instance, pod, outcome) (increase(hindsight_polls_total{outcome="failed"}[5m])) > 10',
      summary: 'Polls of {{ $labels.subject }} cannot be recorded',
      forMs: 5 * MINUTE,
    },
    {
      alert: 'HindsightMarksPileUp',
      expr: `${oneOf('hindsight_marks')} > 10000 and ${changeOf(oneOf('hindsight_marks'), 30 * MINUTE)} > 0`,
      summary: 'Statistics fall behind: {{ $value }} quarter hours wait',
    },
    {
      alert: 'HindsightJobsFail',
      expr: `${oneOf('hindsight_queue_jobs{state="failed"}')} > 0`,
      summary: '{{ $value }} jobs have failed for good',
    },
  ],
};

/** Our rules as rules of Prometheus: the same conditions, evaluated from `/metrics`. */
export function toPrometheusRules(): {
  readonly groups: readonly { readonly name: string; readonly rules: readonly PrometheusRule[] }[];
} {
  const all = ALERT_RULES.flatMap((rule) =>
    questionsOf(rule).map((question) => {
      const expr = `${question.expr}${unlessOf(rule, question)}`;
      return { question, rule: toRule(rule, { ...question, expr }) };
    }),
  );
  const groupOf = (isWanted: boolean): PrometheusRule[] =>
    all.flatMap(({ question, rule }) => (isOfNode(question) === isWanted ? [rule] : []));
  return {
    groups: [
      { name: 'hindsight-nodes', rules: groupOf(true) },
      { name: 'hindsight-itself', rules: groupOf(false) },
    ],
  };
}

/** Whether the results of a query name a node. */
function isOfNode({ expr }: PrometheusQuery): boolean {
  return /hindsight_(?:node|losses|observed)_/.test(expr) && !expr.includes('count(');
}

/** The suffix that excludes nodes with other health trouble from a query, now or within the time that the rule looks back on. */
function unlessOf({ unless = [], condition }: AlertRule, question: PrometheusQuery): string {
  if (!isOfNode(question)) return '';
  const others = ALERT_RULES.flatMap(({ name, condition: other }) =>
    unless.includes(name) && other.kind === 'health' ? [other] : [],
  );
  const reach = reachOf(condition) / MINUTE;
  return [...groupBy(others, ({ component = '' }) => component)]
    .map(([component, of]) => {
      const rules = of.flatMap(({ rules: each = [] }) => each).join('|');
      const series = `hindsight_node_health_rule{component="${component}", rule=~"${rules}"}`;
      return ` unless on (node, chain) ${reach > 0 ? `max_over_time(${series}[${reach}m])` : series} == 1`;
    })
    .join('');
}

function toRule(
  { name, severity, forMs, title, means, remedy }: AlertRule,
  question: PrometheusQuery,
): PrometheusRule {
  const { alert, expr, summary = title, forMs: own = forMs } = question;
  const isNamed = isOfNode(question);
  const where = isNamed ? '{{ $labels.node }} of {{ $labels.chain }}: ' : '';
  return {
    alert,
    expr,
    ...(own > 0 && { for: `${own / MINUTE}m` }),
    labels: { severity: severity.toLowerCase() },
    annotations: {
      summary: `${where}${summary}`,
      description: `${means} ${remedy}`,
      runbook_url: `docs/runbooks/${name}.md`,
      ...(isNamed && { link: '/node/{{ $labels.node }}' }),
    },
  };
}

function questionsOf({ name, condition }: AlertRule): readonly PrometheusQuery[] {
  if (condition.kind === 'hindsight') return OURSELVES[condition.is];
  const expr = exprOf(condition);
  const own = condition.kind === 'noLook' ? { forMs: condition.ms } : {};
  return expr === undefined ? [] : [{ alert: `Hindsight${toCamelCase(name)}`, expr, ...own }];
}

/** Undefined if `/metrics` does not have the figures. */
function exprOf(condition: AlertCondition): string | undefined {
  switch (condition.kind) {
    case 'health': {
      const { component, rules = [] } = condition;
      return `${oneOf(`hindsight_node_health_rule{component="${component}", rule=~"${rules.join('|')}"}`)} == 1`;
    }
    case 'failures': {
      const { above, overMs, attempts } = condition;
      const sum = (of: string): string =>
        `sum without (instance, pod, status) (increase(hindsight_observed_submissions_total${of}[${overMs / MINUTE}m]))`;
      return `${sum('{status!="SUCCESS"}')} / ${sum('')} > ${above} and ${sum('')} >= ${attempts}`;
    }
    case 'pending':
      // While years of blocks are read, many seem to wait, and ever fewer.
      return `${PENDING} > ${condition.above} and ${changeOf(PENDING, 15 * MINUTE)} > 0`;
    case 'claim':
      return `${oneOf('hindsight_node_claim_differs')} == 1`;
    case 'hole':
      // All kinds together, so that a gap that turns out to be of another kind is not a new one.
      return `${changeOf(`sum without (kind) (${oneOf('hindsight_losses_total{kind!="BEFORE_START"}')})`, condition.withinMs)} > 0`;
    case 'noLook':
      // A node without polls has no state.
      return `${oneOf('hindsight_node_health{component="NODE", state="UNKNOWN"}')} == 1`;
    case 'disk': {
      const { freeBytes, days } = condition;
      return `${oneOf('hindsight_disk_days_left')} < ${days} or on () ${oneOf('hindsight_disk_bytes{what="free"}')} < ${freeBytes}`;
    }
    case 'cost':
    case 'coverage':
    case 'hindsight':
      return undefined;
    default:
      return condition satisfies never;
  }
}

function toCamelCase(name: string): string {
  return name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}
