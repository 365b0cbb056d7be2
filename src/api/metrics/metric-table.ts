const NODE = ['node', 'chain'] as const;

/** Longest label in characters: the name of a chain is whatever a node reports. */
export const LONGEST_LABEL = 200;

/**
 * Metrics of nodes, of the log and of what is made from it, read from the database. A figure that is not known is absent. All are
 * gauges, because a figure can be corrected. Every API process exports the same figures.
 */
export const FIGURES = {
  hindsight_node_reachable: {
    help: 'Whether the node answered when it was last probed: 0 or 1.',
    labels: NODE,
  },
  hindsight_node_head_height: { help: 'Newest height of the node.', labels: NODE },
  hindsight_node_inclusion_height: {
    help: 'Height up to which every recorded block is included in the DA layer, header and data.',
    labels: NODE,
  },
  hindsight_node_pending_blocks: {
    help: 'Blocks that the node has produced and that are not included yet.',
    labels: NODE,
  },
  hindsight_node_last_success_age_seconds: {
    help: 'Time since the newest successful submission of the node.',
    labels: NODE,
  },
  hindsight_node_health: {
    help: 'Present health by our rules: 1 for the present state of the component, 0 for the other states.',
    labels: [...NODE, 'component', 'state'],
  },
  hindsight_node_health_rule: {
    help: 'Always 1: the rule that decided the present state of the component.',
    labels: [...NODE, 'component', 'rule'],
  },
  hindsight_node_claim_differs: {
    help: 'Whether the claim of the node about its DA layer contradicts our state: 0 or 1.',
    labels: NODE,
  },
  hindsight_submissions_total: {
    help: 'All attempts that the list of the node showed. May fall when they are counted again: use hindsight_observed_submissions_total for rates.',
    labels: [...NODE, 'status', 'kind'],
  },
  hindsight_losses_total: {
    help: 'All gaps in the record of the list of the node. May fall when they are counted again. GraphQL reports how many rows may be missing in each.',
    labels: [...NODE, 'kind'],
  },
  hindsight_da_gas: {
    help: 'Gas of all observed posts of the node. Corrected when more becomes known; max is absent while a part is unknown.',
    labels: [...NODE, 'bound'],
  },
  hindsight_da_fee_utia: {
    help: 'Fees of all observed posts of the node, in utia. Corrected when more becomes known; max is absent while a part is unknown.',
    labels: [...NODE, 'bound'],
  },
  hindsight_da_node_reachable: {
    help: 'Whether the DA node behind the node answered when it was last polled: 0 or 1. A refused token is an answer.',
    labels: NODE,
  },
  hindsight_da_node_head_age_seconds: {
    help: 'Age of the newest header of the DA node behind the node. Only the age shows that the DA chain halted.',
    labels: NODE,
  },
  hindsight_execution_head_lag_blocks: {
    help: 'Blocks that the execution layer of the node is behind the node; negative where it is ahead. Absent where both were never compared.',
    labels: NODE,
  },
  hindsight_node_head_lag_blocks: {
    help: "Blocks that the node's head is behind the highest head of its chain. Absent while the node is not reached.",
    labels: NODE,
  },
  hindsight_account_balance_utia: {
    help: 'Balance of an account that pays for submissions, in utia; absent while it cannot be read.',
    labels: ['account'],
  },
  hindsight_account_runway_seconds: {
    help: 'Time until the balance of the account is used up: min by the fastest, max by the slowest rate of the last hour, day and week. Absent while no rate is known.',
    labels: ['account', 'bound'],
  },
  hindsight_incidents_open: {
    help: 'Open incidents of monitored nodes, by their worst state.',
    labels: ['severity'],
  },
  hindsight_log_position: { help: 'Position of the last event of the log.', labels: [] },
  hindsight_projection_lag_events: {
    help: 'Events of the log that a read model has not processed yet.',
    labels: ['projection'],
  },
  hindsight_projection_lag_seconds: {
    help: 'Age of the oldest event that a read model has not processed yet; 0 without such an event.',
    labels: ['projection'],
  },
  hindsight_marks: {
    help: 'Marks: quarter hours of nodes and chains whose statistics must be computed again. Counts up to one million.',
    labels: [],
  },
  hindsight_shards_held: {
    help: 'Shards of nodes that some process observes now. Every process reports the same number; 0 if no process observes.',
    labels: [],
  },
  hindsight_disk_bytes: {
    help: 'Disk space of the log and the read models in the database, and the free space, if it is known.',
    labels: ['what'],
  },
  hindsight_disk_growth_bytes: {
    help: 'Growth of log and read models per day, at the pace of the last day; absent in the first ten minutes.',
    labels: [],
  },
  hindsight_disk_days_left: {
    help: 'Days until the disk of the database is full, at the pace of the last day; absent if the free space is unknown.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, FigureMetric>>;

interface FigureMetric {
  readonly help: string;
  readonly labels: readonly string[];
}

export type FigureName = keyof typeof FIGURES;

/** A value of a metric, and the labels that identify its series. */
export interface Sample {
  readonly metric: FigureName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
