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
    help: 'Present health by our rules: 1 for the state in which a component is, 0 for the others.',
    labels: [...NODE, 'component', 'state'],
  },
  hindsight_node_health_rule: {
    help: 'Always 1: the rule that decided on the state in which a component is.',
    labels: [...NODE, 'component', 'rule'],
  },
  hindsight_node_claim_differs: {
    help: 'Whether what the node claims of its DA layer contradicts our state: 0 or 1.',
    labels: NODE,
  },
  hindsight_submissions_total: {
    help: 'Attempts that the list of the node showed, in all. May fall when they are counted again: for rates take hindsight_observed_submissions_total.',
    labels: [...NODE, 'status', 'kind'],
  },
  hindsight_losses_total: {
    help: 'Gaps in the record of the list of the node, in all. May fall when they are counted again. GraphQL reports how many rows each may have lost.',
    labels: [...NODE, 'kind'],
  },
  hindsight_da_gas: {
    help: 'Gas of all that the node was seen to post. Corrected when more becomes known; max is absent while a part is not known.',
    labels: [...NODE, 'bound'],
  },
  hindsight_da_fee_utia: {
    help: 'Fees of all that the node was seen to post, in utia. Corrected when more becomes known; max is absent while a part is not known.',
    labels: [...NODE, 'bound'],
  },
  hindsight_incidents_open: {
    help: 'Incidents of watched nodes that have not been seen to end, by their worst state.',
    labels: ['severity'],
  },
  hindsight_log_position: { help: 'Position of the last event of the log.', labels: [] },
  hindsight_projection_lag_events: {
    help: 'Events of the log that a read model has not taken yet.',
    labels: ['projection'],
  },
  hindsight_projection_lag_seconds: {
    help: 'Age of the oldest event that a read model has not taken yet; 0 when there is none.',
    labels: ['projection'],
  },
  hindsight_marks: {
    help: 'Marks: quarter hours of nodes and chains whose statistics are to be computed again. A million at most are counted.',
    labels: [],
  },
  hindsight_shards_held: {
    help: 'Shards of nodes that some process observes now, whichever process tells it: 0 where nobody observes.',
    labels: [],
  },
  hindsight_disk_bytes: {
    help: 'What the log and the read models take of the disk of the database, and what is free of it, where that can be asked.',
    labels: ['what'],
  },
  hindsight_disk_growth_bytes: {
    help: 'What log and read models grow by in a day, at the pace of the last one; absent in the first ten minutes.',
    labels: [],
  },
  hindsight_disk_days_left: {
    help: 'Days until the disk of the database is full, at that pace; absent where the disk cannot be asked.',
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
