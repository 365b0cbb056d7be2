import { readFileSync } from 'node:fs';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { alertOf, runPromtool, seriesOf, type Labels, type PromtoolTest } from '../support/promtool.js';

const NODE = { node: 'n1', chain: 'c1' };
const INSTANCES = [
  { instance: 'a:80', pod: 'api-a' },
  { instance: 'b:80', pod: 'api-b' },
];

/** A series with its values; each of two API processes exports it. */
const both = (name: string, labels: Labels, values: string) =>
  INSTANCES.map((where) => ({ series: seriesOf(name, { ...where, ...labels }), values }));
const ofNode = (name: string, labels: Labels, values: string) => both(name, { ...NODE, ...labels }, values);

const firing = (minute: number, alertname: string, alerts: readonly Labels[]) => ({
  eval_time: `${minute}m`,
  alertname,
  exp_alerts: alerts.map((labels) => alertOf(alertname, labels)),
});

/** Half of the attempts fail from the tenth minute on. All of them failed before if `explained`. */
function ofFailures(explained: boolean, minute: number, fires: boolean): PromtoolTest {
  const observed = (status: string, values: string) => ({
    series: seriesOf('hindsight_observed_submissions_total', { instance: 'observer:80', ...NODE, status }),
    values,
  });
  return {
    interval: '1m',
    input_series: [
      observed('SUCCESS', '0x9 0+6x60'),
      observed('CONTEXT_DEADLINE', '0+6x70'),
      ...(explained
        ? ofNode('hindsight_node_health_rule', { component: 'DA', rule: 'failing' }, '1x9 _x60')
        : []),
    ],
    alert_rule_test: [firing(minute, 'HindsightManyFailures', fires ? [NODE] : [])],
  };
}

function ofObservers(series: readonly string[], fires: boolean): PromtoolTest {
  return {
    interval: '10s',
    input_series: series.map((text) => {
      const [name = '', values = ''] = text.split(' ');
      return { series: name, values };
    }),
    alert_rule_test: [firing(5, 'HindsightNobodyLeads', fires ? [{}] : [])],
  };
}

/** The queries of a dashboard panel, as Grafana sends them for all nodes. */
function panel(title: string): string[] {
  const { panels } = JSON.parse(readFileSync('packaging/grafana/hindsight-prometheus.json', 'utf8')) as {
    readonly panels: readonly { readonly title: string; readonly targets?: readonly { expr: string }[] }[];
  };
  const { targets = [] } = panels.find((each) => each.title === title) ?? {};
  return targets.map(({ expr }) =>
    expr.replaceAll(/\$__(?:rate_interval|range)/g, '10m').replaceAll(/\$(?:node|chain|job)/g, '.*'),
  );
}

/** The results of the queries of a panel after 20 minutes. */
const drawn = (title: string, ...samples: readonly (readonly [labels: string, value: number])[]) =>
  panel(title).map((expr, index) => {
    const [labels, value] = samples[index] ?? [];
    return { expr, eval_time: '20m', exp_samples: labels === undefined ? [] : [{ labels, value }] };
  });

const health = (component: string, state: string) =>
  ['HEALTHY', 'WARNING', 'CRITICAL', 'UNKNOWN'].flatMap((each) =>
    ofNode('hindsight_node_health', { component, state: each }, each === state ? '1x60' : '0x60'),
  );

const TESTS: Readonly<Record<string, readonly PromtoolTest[]>> = {
  'many failures are reported, unless a rule explains them': [
    ofFailures(false, 15, true),
    ofFailures(true, 5, false),
    ofFailures(true, 15, false),
    ofFailures(true, 30, true),
  ],
  'nobody leads by what the API or the observers export, and is silent without either': [
    ofObservers(['hindsight_shards_held 1x60'], false),
    ofObservers(['hindsight_shards_held 0x60'], true),
    ofObservers(['hindsight_shards_held 1x60', 'hindsight_leader{instance="standby"} 0x60'], false),
    ofObservers(['hindsight_leader{instance="a"} 0x60', 'hindsight_leader{instance="b"} 1x60'], false),
    ofObservers(['hindsight_leader{instance="a"} 0x60'], true),
    ofObservers([], false),
  ],
  'two API processes report each trouble once': [
    {
      interval: '30s',
      input_series: [
        ...ofNode('hindsight_node_health_rule', { component: 'DA', rule: 'failing' }, '1x60'),
        ...ofNode('hindsight_node_claim_differs', {}, '1x60'),
        ...both('hindsight_log_position', {}, '70x60'),
        ...both('hindsight_projection_lag_seconds', { projection: 'record' }, '90x60'),
        ...both('hindsight_disk_days_left', {}, '3x60'),
        ...ofNode('hindsight_node_head_height', {}, '9x60'),
      ],
      alert_rule_test: [
        firing(20, 'HindsightDaFailing', [{ ...NODE, component: 'DA', rule: 'failing' }]),
        firing(20, 'HindsightClaimDiffers', [NODE]),
        firing(20, 'HindsightNothingRecorded', [{}]),
        firing(20, 'HindsightDiskFull', [{}]),
        firing(20, 'HindsightDown', []),
      ],
      promql_expr_test: [
        {
          expr: 'count(ALERTS{alertname="HindsightProjectionLag", alertstate="firing"})',
          eval_time: '20m',
          exp_samples: [{ labels: '{}', value: 1 }],
        },
      ],
    },
  ],
  'two API processes pile up blocks once': [
    {
      interval: '30s',
      input_series: ofNode('hindsight_node_pending_blocks', {}, '1100+2x80'),
      alert_rule_test: [firing(20, 'HindsightBlocksPileUp', [NODE])],
    },
  ],
  'two API processes draw a node as one does': [
    {
      interval: '30s',
      input_series: [
        ...health('DA', 'WARNING'),
        ...health('NODE', 'HEALTHY'),
        ...ofNode('hindsight_node_pending_blocks', {}, '5x60'),
        ...ofNode('hindsight_losses_total', { kind: 'RESET' }, '2x24 3x36'),
        ...ofNode('hindsight_da_fee_utia', { bound: 'min' }, '2000000x60'),
        ...both('hindsight_log_position', {}, '0+15x60'),
        ...['observer-a', 'observer-b'].map((instance, index) => ({
          series: seriesOf('hindsight_observed_submissions_total', { ...NODE, instance, status: 'SUCCESS' }),
          values: index === 0 ? '0+1x60' : '0x60',
        })),
      ],
      promql_expr_test: [
        ...drawn('DA health', ['{node="n1"}', 1]),
        ...drawn('Node health', ['{node="n1"}', 0]),
        ...drawn('Blocks that wait for the DA layer', ['{node="n1"}', 5]),
        ...drawn('Gaps found in the lists', ['{node="n1", kind="RESET"}', 1]),
        ...drawn('Fees', ['{node="n1", bound="min"}', 2]),
        ...drawn('Events a second', ['{}', 0.5]),
        ...drawn('Attempts a minute, by status', ['{status="SUCCESS"}', 2]),
      ],
    },
  ],
  'a total that falls, or a gap that turns out to be of another kind, is no new gap': [
    ['50x19 49x60', '0x80'],
    ['50x19 49x60', '0x19 1x60'],
  ].map(([reset = '', ambiguous = '']) => ({
    interval: '30s',
    input_series: [
      ...ofNode('hindsight_losses_total', { kind: 'RESET' }, reset),
      ...ofNode('hindsight_losses_total', { kind: 'AMBIGUOUS' }, ambiguous),
    ],
    alert_rule_test: [10, 12, 18, 26].map((minute) => firing(minute, 'HindsightRowsMissed', [])),
  })),
  'a gap that is found while the processes are replaced is reported once': [
    {
      interval: '30s',
      input_series: INSTANCES.map((where, index) => ({
        series: seriesOf('hindsight_losses_total', { ...where, ...NODE, kind: 'RESET' }),
        values: index === 0 ? '2x19 stale' : '_x21 3x40',
      })),
      alert_rule_test: [firing(9, 'HindsightRowsMissed', []), firing(14, 'HindsightRowsMissed', [NODE])],
    },
  ],
};

describe('promtool', () => itHasProgram('promtool'));

if (hasProgram('promtool')) {
  describe('the rules and panels for Prometheus', () => {
    it.each(Object.entries(TESTS))('%s', async (_, tests) => {
      expect(await runPromtool(tests)).toBe('');
    });
  });
}
