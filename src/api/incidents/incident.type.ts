import { InputType, ObjectType } from '@nestjs/graphql';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import type { IncidentSubject, TroubledState } from '../../domain/health/trouble.js';
import { troubleWords } from '../../domain/health/trouble-words.js';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import {
  bool,
  dateTime,
  exactInt64,
  field,
  float,
  id,
  ids,
  int,
  sentence,
  text,
  texts,
} from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import { RowsOf } from '../graphql/field-cost.js';
import { toNanos } from '../graphql/scalars.js';
import { PRESENT, type Past } from '../graphql/time-travel.js';
import { HealthComponents, HealthStates } from '../health/health.type.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { HasId, VERSION } from '../objects/has-id.type.js';
import { rowId, versionOf } from '../objects/row-id.js';
import { IncidentNode, toIncidentNode } from './incident-node.type.js';
import type { IncidentRow } from './incident-rows.js';
import { partOfNow, wordsOfNow } from './present-words.js';

const MOST_LIKELY_NODES = 10;

const IncidentSubjects = enumOf<IncidentSubject>('IncidentSubject', 'The subject that an incident affects.', {
  DA: "Whether a node's data gets through.",
  NODE: 'The node itself.',
  DA_NODE: 'The DA node that it posts through, and its account.',
  EXECUTION: 'Its execution layer.',
  FINALITY:
    'Finality as its nodes see it: submissions succeed, but the nodes show no further block as included. Other nodes of the chain may see finality advance. The `component` is `DA`.',
  COVERAGE: 'Our own coverage of a node: it was not monitored, or rows left its list unseen.',
});

@ObjectType({
  implements: () => [HasId],
  description:
    'A continuous period of trouble. It begins with the first sign, and ends after a total of five minutes of calm since the last trouble, or when its node is removed from the settings. It affects a node, its DA layer, finality as nodes see it, or our own coverage of a node. Trouble that returns earlier belongs to the same incident, and so does a period in which nothing could be seen. Nodes of a chain that have trouble of the same cause at the same time share one incident.',
})
export class Incident {
  readonly nodeKey: number;
  /** The past of the request. */
  readonly past: Past;
  @id(
    "Hindsight's own stable id: it names the node, the component and the first sign that was reported first. `object` finds the incident by this id.",
  )
  readonly id: string;
  @id(VERSION) readonly versionId: string;
  @field(() => Node, IN_ROWS_PAST, { complexity: 2 }) readonly node?: Node;
  @RowsOf(MOST_LIKELY_NODES)
  @field(
    () => [IncidentNode],
    'All affected nodes, by their first sign. A node is listed again if its trouble came back after its own calm while the trouble of other nodes was ongoing.',
  )
  readonly nodes: IncidentNode[];
  @id('`node.id`, for tools that want flat rows: the node that showed it first.') readonly nodeId: string;
  @text.orNull('The chain of its nodes at the first sign; null while the node has not reported a chain.')
  readonly chain: string | null;
  @field(
    () => HealthComponents,
    'The affected component: the node, the posting of its data, or our coverage of the node.',
  )
  readonly component: HealthComponent;
  @field(
    () => IncidentSubjects,
    'The affected subject, derived from `rule`: `component` in everyday words. It can change while the incident is ongoing, because another rule may come to last longer.',
  )
  readonly subject: IncidentSubject;
  @field(() => HealthStates, 'Its worst state: `WARNING` or `CRITICAL`.') readonly severity: TroubledState;
  @field.orNull(
    () => HealthStates,
    'The present state while its trouble lasts: `WARNING` or `CRITICAL`. Null while it is recovering, when it is over, for our own coverage, and in a past.',
  )
  readonly presentState: TroubledState | null;
  @dateTime('Same as `from`, under the name that charts expect.') readonly time: Nanos;
  @dateTime('The first sign of any of its nodes; UTC.') readonly from: Nanos;
  @dateTime.orNull(
    'When the calm that ended it began, on the last of its nodes; UTC. Null while it is ongoing: in its first five minutes calm may break, and nothing ends while it is not monitored.',
  )
  readonly to: Nanos | null;
  @sentence.orNull('How it ended: the state that began then, and why. Null while it is ongoing.')
  readonly endReason: string | null;
  @bool('True while its end has not been seen.') readonly open: boolean;
  @dateTime.orNull(
    'When its last trouble ended, even if nothing could be seen afterwards; UTC. Null while trouble lasts.',
  )
  readonly lastSignAt: Nanos | null;
  @text(
    'The health rule that decides now. For an incident that is over or recovering: the rule that decided longest while its state was worst.',
  )
  readonly rule: string;
  @sentence(
    'Summary in words, with the current cause and numbers. For an incident that is over: the numbers of its end and the most frequent cause.',
  )
  readonly reason: string;
  @sentence.orNull('The effect on users; null for a rule of another release.') readonly means: string | null;
  @int('Number of its intervals of trouble. If there are more than a few, the incident flapped.')
  readonly signs: number;
  @float.orNull('How long there was trouble, in milliseconds of monitored time, summed over its nodes.')
  readonly troubleMs: number | null;
  @text.orNull('A claim of one of its nodes during the incident that contradicted our state, as sent.')
  readonly claim: string | null;
  @float.orNull(
    'How long claims contradicted our state, in milliseconds of monitored time, summed over its nodes. Null if `asOf` lies within the incident.',
  )
  readonly claimDifferedMs: number | null;
  @exactInt64('Position of the event that first reported its first sign.') readonly position: bigint;
  @text.orNull('Name of the first to acknowledge it; null until then. `acknowledgements` lists all of them.')
  readonly acknowledgedBy: string | null;
  @dateTime.orNull('When it was first acknowledged; UTC.') readonly acknowledgedAt: Nanos | null;
}

/** @param past the past of the request */
export function toIncident(row: IncidentRow, past = PRESENT): Incident {
  const { node, rootFromAt, fromAt, toAt, parts, ...rest } = row;
  const now = wordsOfNow(row);
  const { component, lastSignAt, acknowledgedAt } = rest;
  const id = rowId('Incident', node, component, toNanos(rootFromAt));
  const { rule, reason } = now ?? rest;
  return Object.assign(new Incident(), {
    ...rest,
    past,
    id,
    versionId: versionOf(id, past),
    nodeId: node,
    rule,
    reason,
    nodes: parts.map((part) => toIncidentNode({ ...part, ...partOfNow(row, part) })),
    presentState: now?.state ?? null,
    time: toNanos(fromAt),
    from: toNanos(fromAt),
    to: toNanos(toAt),
    open: toAt === null,
    lastSignAt: toNanos(lastSignAt),
    means: troubleWords(component, rule)?.means ?? null,
    acknowledgedAt: toNanos(acknowledgedAt),
  });
}

@InputType({ description: 'Conditions that must all hold. An empty list matches nothing.' })
export class IncidentFilter {
  @ids.orNull('Ids of nodes; at least one of them is affected.') nodes?: string[] | null;
  @texts.orNull('Chains of the incidents: see `Incident.chain`.') chains?: string[] | null;
  @field.orNull(() => HealthComponents, 'The affected component; all components if left out.')
  component?: HealthComponent | null;
  @field.orNull(() => IncidentSubjects, 'The affected subjects; all subjects if left out.')
  subject?: IncidentSubject | null;
  @field.orNull(() => [HealthStates], 'Worst states of the incidents.') severities?: string[] | null;
  @bool.orNull('True: only incidents whose end has not been seen; false: only the others.') open?:
    boolean | null;
  @dateTime.orNull('Only incidents that reach beyond this time.') from?: Nanos | null;
  @dateTime.orNull('Only incidents that begin before this time.') to?: Nanos | null;
}

export const IncidentConnection = connectionOf(Incident);
