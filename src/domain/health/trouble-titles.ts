import { toPrintable } from '../printable-text.js';
import type { HealthComponent } from './health-rule.js';
import { nodeIdsOf, type NodesOfIncident } from './trouble.js';
import type { TROUBLE_WORDS } from './trouble-words.js';

type Titles = {
  readonly [Component in HealthComponent]: Readonly<Record<keyof (typeof TROUBLE_WORDS)[Component], string>>;
};

/** The problem behind each health rule of a component that is WARNING or CRITICAL, in a few words. */
const TROUBLE_TITLES: Titles = {
  DA: {
    failing: 'DA submissions fail',
    failures: 'Many DA submissions fail',
    frozen: 'Finality frozen',
    'inclusion-late': 'Finality late',
    silent: 'No DA submissions',
    slow: 'DA submissions slow',
  },
  NODE: {
    unreachable: 'Node unreachable',
    'look-failed': 'Node does not answer',
    'not-live': 'Node reports a fault',
    'head-still': 'No new blocks',
    'head-late': 'Blocks late',
    'histories-differ': 'Nodes show different blocks',
    'history-replaced': 'Chain history replaced',
    'not-ready': 'Node not ready',
    'catching-up': 'Node behind its chain',
  },
  DA_NODE: {
    'da-token-refused': 'DA node refuses Hindsight',
    'da-node-unreachable': 'DA node unreachable',
    'da-node-behind': 'No new blocks at the DA node',
    'consensus-unreachable': 'DA consensus node unreachable',
    'funds-low': 'DA account runs low',
    'da-token-expires': 'Token of the DA node expires',
  },
  EXECUTION: {
    'execution-refused': 'Execution layer refuses Hindsight',
    'execution-unreachable': 'Execution layer unreachable',
    'execution-differs': 'Execution layer has another state',
    'execution-behind': 'Execution layer behind',
    'execution-ahead': 'Execution layer ahead',
  },
  COVERAGE: {
    unwatched: 'Not monitored',
    'rows-missed': 'Submissions may be missing',
  },
};

/** The problem of an incident in a few words; the name of a rule of another release. */
export function problemOf({
  component,
  rule,
}: {
  readonly component: HealthComponent;
  readonly rule: string;
}): string {
  return titleOf(component, rule) ?? toPrintable(rule);
}

/** The problem behind a rule in a few words; undefined for rules that are no trouble. */
export function titleOf(component: HealthComponent, rule: string): string | undefined {
  const titles: Readonly<Record<string, string>> = TROUBLE_TITLES[component];
  return titles[rule];
}

/** The place of an incident: `alpha and 2 more (lab-1)`. */
export function placeOf(incident: NodesOfIncident & { readonly chain: string | null }): string {
  const others = nodeIdsOf(incident).length - 1;
  const more = others > 0 ? ` and ${others} more` : '';
  const chain = incident.chain === null ? '' : ` (${toPrintable(incident.chain)})`;
  return `${toPrintable(incident.nodeId)}${more}${chain}`;
}
