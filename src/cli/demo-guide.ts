import { FIRST_NODE, SECOND_NODE, YEAR_CHAIN } from './demo-year.js';
import type { DemoNode } from './demo-nodes.js';
import type { Paint } from '../platform/paint.js';

const QUERIES = [
  {
    about: 'How is each node, and what does it claim about itself?',
    query: '{ nodes { id chain head pending da { state reason } node { state } claim claimDiffers } }',
  },
  {
    about: 'Which submissions failed, and why?',
    query:
      '{ submissions(filter: {statuses: [ERROR]}, first: 5) { nodes { node { id } status message sizeBytes observedAt } } }',
  },
  {
    about: 'How has the flaky DA layer done so far?',
    query: '{ healthHistory(node: "beta", component: DA) { from to state reason } }',
  },
  {
    about: 'How long does the money of the healthy one last?',
    query: '{ accounts { address balance spent { hour day } runway { from to submissions } } }',
  },
  {
    about: 'What does each chain cost, and how certain is that?',
    query:
      '{ costReport(bucket: MONTH, groupBy: [CHAIN]) { time chain submissions feeMin feeMax feeUnit pricedShare failedAttempts coverage } }',
  },
] as const;

interface Demo {
  readonly serviceUrl: string;
  readonly nodes: readonly DemoNode[];
  readonly paint: Paint;
}

/** The text that the demo prints once it runs: where to look and what to ask. */
export function demoGuide({ serviceUrl, nodes, paint }: Demo): string {
  const bold = (text: string): string => paint('bold', text);
  const dim = (text: string): string => paint('dim', text);
  const width = Math.max(...nodes.map(({ id }) => id.length));
  return [
    '',
    bold('Three nodes are running, and Hindsight is monitoring them.'),
    '',
    ...nodes.map(({ id, about, node }) => `  ${bold(id.padEnd(width))}  ${node.url}  ${dim(about)}`),
    '',
    `In addition: ${bold(YEAR_CHAIN)}, thirteen sample months.`,
    ...toYear(serviceUrl),
    '',
    `  ${bold('Page'.padEnd(width))}  ${paint('cyan', `${serviceUrl}/`)}`,
    `  ${bold('GraphQL'.padEnd(width))}  ${paint('cyan', `${serviceUrl}/graphql`)}`,
    '',
    bold('Questions to ask') + dim(' (failures and health take about half a minute to show)'),
    ...QUERIES.flatMap(({ about, query }) => ['', `  ${about}`, ...toCurl(serviceUrl, query).map(dim)]),
    '',
    'Ctrl-C stops everything. When started again, the demo continues with the same chains and the same record.',
    '',
  ].join('\n');
}

function toYear(serviceUrl: string): string[] {
  return [
    `  ${serviceUrl}/chain/${YEAR_CHAIN}  an outage, two outages of its DA layer, a restart with a gap, an expensive month`,
    `  Its nodes, ${FIRST_NODE} and ${SECOND_NODE}, are retired: sample nodes are not monitored.`,
  ];
}

/** A command to paste; the query has no quote that the shell would interpret. */
function toCurl(serviceUrl: string, query: string): string[] {
  const body = JSON.stringify({ query });
  return [`  curl -s ${serviceUrl}/graphql -H 'content-type: application/json' \\`, `    -d '${body}'`];
}
