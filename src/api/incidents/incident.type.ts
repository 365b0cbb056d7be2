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
const SENTENCE = 15;
/** Assumed number of nodes per incident. */
const MOST_LIKELY_NODES = 10;

const IncidentSubjects = enumOf<IncidentSubject>([...INCIDENT_SUBJECTS]);

registerEnumType(IncidentSubjects, {
  name: 'IncidentSubject',
  description: 'What an incident is of.',
  valuesMap: {
    DA: { description: 'Whether the data of a node gets through.' },
    NODE: { description: 'A node.' },
    FINALITY: {
      description:
        'Finality as its nodes see it: submissions succeed, and they show no further block as included. Other nodes of the chain may see it move. Its `component` is `DA`.',
    },
    COVERAGE: {
      description: 'Our own coverage of a node: nobody looked, or rows left its list unseen.',
    },
  },
});

@ObjectType({
  implements: () => [HasId],
  description:
    "An unbroken stretch of trouble, from its first sign to five minutes' calm, added up since the last trouble, or to when its node was taken out of the settings. It is of a node, of its DA layer, of finality as nodes see it, or of our own coverage of a node. Trouble that comes back earlier belongs to it, and so does a time in which nobody could see. Nodes of a chain that have trouble of the same cause at once are one incident.",
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
    'Ours, and stable: it names the node, the component and the first sign that was told first. `object` finds it by it.',
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
      'All nodes that have it, by their first sign. One whose trouble came back after its own calm, while that of others went on, stands in it again.',
  })
  get nodes(): IncidentNode[] {
    return this.row.parts.map((part) => {
      const now = partOfNow(this.row, part);
      return new IncidentNode(now ? { ...part, rule: now.rule, reason: now.reason } : part);
    });
  }
  @id('`node.id`, for tools that want flat rows: the node that told of it first.')
  get nodeId(): string {
    return this.row.node;
  }
  @text.orNull('The chain that its nodes were of at the first sign; null while the node has said none.')
  get chain(): string | null {
    return this.row.chain;
  }
  @Field(() => HealthComponents, {
    description: 'Of what: of the node, of whether its data gets through, or of our coverage of it.',
  })
  get component(): HealthComponent {
    return this.row.component;
  }
  @Field(() => IncidentSubjects, {
    description:
      'What it is of, by `rule`: `component` as people speak of it. While it goes on another rule may come to last longer.',
  })
  get subject(): IncidentSubject {
    return this.row.subject;
  }
  @Field(() => HealthStates, { description: 'The worst state in it: `WARNING` or `CRITICAL`.' })
  get severity(): TroubledState {
    return this.row.severity;
  }
  @dateTime('`from`, under the name that charts look for.')
  get time(): Nanos {
    return this.from;
  }
  @dateTime('The first sign of any of its nodes; UTC.')
  get from(): Nanos {
    return toNanos(this.row.fromAt);
  }
  @dateTime.orNull(
    'When the calm began that ended it, of the last of its nodes; UTC. Null while it goes on: in its first five minutes calm may break, and where nobody looks nothing ends.',
  )
  get to(): Nanos | null {
    return toNanos(this.row.toAt);
  }
  @text.orNull('How it ended: the state that began then, and why. Null while it goes on.', {
    complexity: SENTENCE,
  })
  get endReason(): string | null {
    return this.row.endReason;
  }
  @bool('It has not been seen to end.')
  get open(): boolean {
    return this.row.toAt === null;
  }
  @dateTime.orNull(
    'When the last trouble of it ended, also where nobody could see what followed; UTC. Null while one lasts.',
  )
  get lastSignAt(): Nanos | null {
    return toNanos(this.row.lastSignAt);
  }
  @text(
    'The rule of health that decides now; of an incident that is over, or recovering, the one that decided longest while it was worst.',
  )
  get rule(): string {
    return this.now?.rule ?? this.row.rule;
  }
  @text(
    'What is the matter, for a person, with the cause and the numbers of now; of an incident that is over, those of its end, with the most frequent cause.',
    { complexity: SENTENCE },
  )
  get reason(): string {
    return this.now?.reason ?? this.row.reason;
  }
  @text.orNull('What that means for users; null for a rule of another release.', { complexity: SENTENCE })
  get means(): string | null {
    return this.words?.means ?? null;
  }
  @int('Intervals of trouble in it: more than a few, and it flapped.')
  get signs(): number {
    return this.row.signs;
  }
  @float.orNull(
    'For how long there was trouble in it, in milliseconds, as far as it was looked at; added up over its nodes.',
  )
  get troubleMs(): number | null {
    return this.row.troubleMs;
  }
  @text.orNull('What a node of it claimed of itself meanwhile, where that contradicted us, as sent.')
  get claim(): string | null {
    return this.row.claim;
  }
  @float.orNull(
    'For how long its claim did, in milliseconds, as far as it was looked at; added up over its nodes. Null with `asOf` where that is within it.',
  )
  get claimDifferedMs(): number | null {
    return this.row.claimDifferedMs;
  }
  @exactInt64('The event that first told of its first sign.')
  get position(): bigint {
    return this.row.position;
  }
  @text.orNull('Who said first that they have seen it; null while nobody has. `acknowledgements` has all.')
  get acknowledgedBy(): string | null {
    return this.row.acknowledgedBy;
  }
  @dateTime.orNull('When; UTC.')
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

@InputType({ description: 'Conditions that must all hold. A list that is given and empty matches nothing.' })
export class IncidentFilter {
  @ids.orNull('Ids of nodes, of which one has it.') nodes?: string[] | null;
  @texts.orNull('Chains that they are of: see `Incident.chain`.') chains?: string[] | null;
  @Field(() => HealthComponents, { nullable: true, description: 'Of what; all when left out.' })
  component?: HealthComponent | null;
  @Field(() => IncidentSubjects, { nullable: true, description: 'What they are of; all when left out.' })
  subject?: IncidentSubject | null;
  @Field(() => [HealthStates], { nullable: true, description: 'The worst state in it.' })
  severities?: string[] | null;
  @bool.orNull('Whether it has not been seen to end.') open?: boolean | null;
  @dateTime.orNull('Only incidents that reach beyond this time.') from?: Nanos | null;
  @dateTime.orNull('Only incidents that begin before this time.') to?: Nanos | null;
}

export const IncidentConnection = connectionOf(Incident);
