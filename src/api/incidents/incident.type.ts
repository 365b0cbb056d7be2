import { Field, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import { INCIDENT_SUBJECTS, type IncidentSubject, type TroubledState } from '../../domain/health/trouble.js';
import { troubleWords, type TroubleWords } from '../../domain/health/trouble-words.js';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { bool, dateTime, exactInt64, float, id, ids, int, text, texts } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import { RowsOf } from '../graphql/field-cost.js';
import { toNanos } from '../graphql/scalars.js';
import { PRESENT, type Past } from '../graphql/time-travel.js';
import { HealthComponents, HealthStates } from '../health/health.type.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { HasId, VERSION } from '../objects/has-id.type.js';
import { rowId, versionOf } from '../objects/row-id.js';
import { IncidentNode } from './incident-node.type.js';
import type { IncidentRow } from './incident-rows.js';
import { partOfNow, wordsOfNow } from './present-words.js';

/** Cost of a text of one or two lines. */
export const SENTENCE = 15;
/** Assumed number of nodes per incident. */
const MOST_LIKELY_NODES = 10;

const IncidentSubjects = enumOf<IncidentSubject>([...INCIDENT_SUBJECTS]);

registerEnumType(IncidentSubjects, {
  name: 'IncidentSubject',
  description: 'The subject that an incident affects.',
  valuesMap: {
    DA: { description: "Whether a node's data gets through." },
    NODE: { description: 'The node itself.' },
    DA_NODE: { description: 'The DA node that it posts through, and its account.' },
    EXECUTION: { description: 'Its execution layer.' },
    FINALITY: {
      description:
        'Finality as its nodes see it: submissions succeed, but the nodes show no further block as included. Other nodes of the chain may see finality advance. The `component` is `DA`.',
    },
    COVERAGE: {
      description: 'Our own coverage of a node: it was not monitored, or rows left its list unseen.',
    },
  },
});

@ObjectType({
  implements: () => [HasId],
  description:
    'A continuous period of trouble. It begins with the first sign, and ends after a total of five minutes of calm since the last trouble, or when its node is removed from the settings. It affects a node, its DA layer, finality as nodes see it, or our own coverage of a node. Trouble that returns earlier belongs to the same incident, and so does a period in which nothing could be seen. Nodes of a chain that have trouble of the same cause at the same time share one incident.',
})
export class Incident {
  /** @param past the past of the request */
  constructor(
    private readonly row: IncidentRow,
    readonly past: Past = PRESENT,
  ) {}

  get nodeKey(): number {
    return this.row.nodeKey;
  }
  @id(
    "Hindsight's own stable id: it names the node, the component and the first sign that was reported first. `object` finds the incident by this id.",
  )
  get id(): string {
    return rowId('Incident', this.row.node, this.row.component, toNanos(this.row.rootFromAt));
  }
  @id(VERSION)
  get versionId(): string {
    return versionOf(this.id, this.past);
  }
  @Field(() => Node, { complexity: 2, description: IN_ROWS_PAST })
  readonly node?: Node;
  @RowsOf(MOST_LIKELY_NODES)
  @Field(() => [IncidentNode], {
    description:
      'All affected nodes, by their first sign. A node is listed again if its trouble came back after its own calm while the trouble of other nodes was ongoing.',
  })
  get nodes(): IncidentNode[] {
    return this.row.parts.map((part) => {
      const now = partOfNow(this.row, part);
      return new IncidentNode(now ? { ...part, rule: now.rule, reason: now.reason } : part);
    });
  }
  @id('`node.id`, for tools that want flat rows: the node that showed it first.')
  get nodeId(): string {
    return this.row.node;
  }
  @text.orNull('The chain of its nodes at the first sign; null while the node has not reported a chain.')
  get chain(): string | null {
    return this.row.chain;
  }
  @Field(() => HealthComponents, {
    description: 'The affected component: the node, the posting of its data, or our coverage of the node.',
  })
  get component(): HealthComponent {
    return this.row.component;
  }
  @Field(() => IncidentSubjects, {
    description:
      'The affected subject, derived from `rule`: `component` in everyday words. It can change while the incident is ongoing, because another rule may come to last longer.',
  })
  get subject(): IncidentSubject {
    return this.row.subject;
  }
  @Field(() => HealthStates, { description: 'Its worst state: `WARNING` or `CRITICAL`.' })
  get severity(): TroubledState {
    return this.row.severity;
  }
  @Field(() => HealthStates, {
    nullable: true,
    description:
      'The present state while its trouble lasts: `WARNING` or `CRITICAL`. Null while it is recovering, when it is over, for our own coverage, and in a past.',
  })
  get presentState(): TroubledState | null {
    return this.now?.state ?? null;
  }
  @dateTime('Same as `from`, under the name that charts expect.')
  get time(): Nanos {
    return this.from;
  }
  @dateTime('The first sign of any of its nodes; UTC.')
  get from(): Nanos {
    return toNanos(this.row.fromAt);
  }
  @dateTime.orNull(
    'When the calm that ended it began, on the last of its nodes; UTC. Null while it is ongoing: in its first five minutes calm may break, and nothing ends while it is not monitored.',
  )
  get to(): Nanos | null {
    return toNanos(this.row.toAt);
  }
  @text.orNull('How it ended: the state that began then, and why. Null while it is ongoing.', {
    complexity: SENTENCE,
  })
  get endReason(): string | null {
    return this.row.endReason;
  }
  @bool('True while its end has not been seen.')
  get open(): boolean {
    return this.row.toAt === null;
  }
  @dateTime.orNull(
    'When its last trouble ended, even if nothing could be seen afterwards; UTC. Null while trouble lasts.',
  )
  get lastSignAt(): Nanos | null {
    return toNanos(this.row.lastSignAt);
  }
  @text(
    'The health rule that decides now. For an incident that is over or recovering: the rule that decided longest while its state was worst.',
  )
  get rule(): string {
    return this.now?.rule ?? this.row.rule;
  }
  @text(
    'Summary in words, with the current cause and numbers. For an incident that is over: the numbers of its end and the most frequent cause.',
    { complexity: SENTENCE },
  )
  get reason(): string {
    return this.now?.reason ?? this.row.reason;
  }
  @text.orNull('The effect on users; null for a rule of another release.', { complexity: SENTENCE })
  get means(): string | null {
    return this.words?.means ?? null;
  }
  @int('Number of its intervals of trouble. If there are more than a few, the incident flapped.')
  get signs(): number {
    return this.row.signs;
  }
  @float.orNull('How long there was trouble, in milliseconds of monitored time, summed over its nodes.')
  get troubleMs(): number | null {
    return this.row.troubleMs;
  }
  @text.orNull('A claim of one of its nodes during the incident that contradicted our state, as sent.')
  get claim(): string | null {
    return this.row.claim;
  }
  @float.orNull(
    'How long claims contradicted our state, in milliseconds of monitored time, summed over its nodes. Null if `asOf` lies within the incident.',
  )
  get claimDifferedMs(): number | null {
    return this.row.claimDifferedMs;
  }
  @exactInt64('Position of the event that first reported its first sign.')
  get position(): bigint {
    return this.row.position;
  }
  @text.orNull('Name of the first to acknowledge it; null until then. `acknowledgements` lists all of them.')
  get acknowledgedBy(): string | null {
    return this.row.acknowledgedBy;
  }
  @dateTime.orNull('When it was first acknowledged; UTC.')
  get acknowledgedAt(): Nanos | null {
    return toNanos(this.row.acknowledgedAt);
  }

  private get now(): ReturnType<typeof wordsOfNow> {
    return wordsOfNow(this.row);
  }
  private get words(): TroubleWords | undefined {
    return troubleWords(this.row.component, this.rule);
  }
}

@InputType({ description: 'Conditions that must all hold. An empty list matches nothing.' })
export class IncidentFilter {
  @ids.orNull('Ids of nodes; at least one of them is affected.') nodes?: string[] | null;
  @texts.orNull('Chains of the incidents: see `Incident.chain`.') chains?: string[] | null;
  @Field(() => HealthComponents, {
    nullable: true,
    description: 'The affected component; all components if left out.',
  })
  component?: HealthComponent | null;
  @Field(() => IncidentSubjects, {
    nullable: true,
    description: 'The affected subjects; all subjects if left out.',
  })
  subject?: IncidentSubject | null;
  @Field(() => [HealthStates], { nullable: true, description: 'Worst states of the incidents.' })
  severities?: string[] | null;
  @bool.orNull('True: only incidents whose end has not been seen; false: only the others.') open?:
    boolean | null;
  @dateTime.orNull('Only incidents that reach beyond this time.') from?: Nanos | null;
  @dateTime.orNull('Only incidents that begin before this time.') to?: Nanos | null;
}

export const IncidentConnection = connectionOf(Incident);
