import { Field, ObjectType } from '@nestjs/graphql';
import type { Alert as RecordedAlert } from '../../domain/alerts/alert-ledger.js';
import type { TroubledState } from '../../domain/health/trouble.js';
import { millisToNanos, type Millis, type Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { RowsOf } from '../graphql/field-cost.js';
import { bool, dateTime, id, ids, text } from '../graphql/fields.js';
import { HealthStates } from '../health/health.type.js';
import { Silence } from '../silences/silence.type.js';

/** Cost of a text of one or two lines. */
const SENTENCE = 15;
/** Assumed number of silences that match an alert. */
const LIKELY_SILENCES = 5;

/** An alert and its end, as recorded. */
export interface AlertRow {
  readonly version: bigint;
  readonly alert: RecordedAlert;
  /** Null while it is open. */
  readonly until: Millis | null;
  /** Its nodes that were no longer monitored at its end. */
  readonly gone: readonly string[];
}

/** The silences of now. */
export interface AlertSilences {
  /** Whether all of the alert is silenced, by silences or by maintenance. */
  readonly isMuted: boolean;
  readonly silences: readonly Silence[];
}

@ObjectType({
  description:
    'Trouble that was reported to destinations: one alert rule, and the nodes of a chain, a chain, or Hindsight itself.',
})
export class Alert {
  constructor(
    readonly row: AlertRow,
    private readonly now: AlertSilences,
  ) {}

  @id('Its id, as in messages.')
  get id(): string {
    return this.row.alert.id;
  }
  @text('Name of the alert rule, as in `AlertRule.name`.')
  get rule(): string {
    return this.row.alert.rule;
  }
  @Field(() => HealthStates, { description: '`WARNING` or `CRITICAL`.' })
  get severity(): TroubledState {
    return this.row.alert.severity;
  }
  @text.orNull('The chain that it is about; null if unknown, and for alerts about Hindsight itself.')
  get chain(): string | null {
    return this.row.alert.chain;
  }
  @ids('Ids of its nodes. Empty if it is about a chain, or about Hindsight itself.')
  get nodes(): readonly string[] {
    return this.row.alert.nodes;
  }
  @text('What is wrong, in a few words.', { complexity: SENTENCE })
  get title(): string {
    return this.row.alert.words?.title ?? this.row.alert.rule;
  }
  @text('The reason at its beginning, in words.', { complexity: SENTENCE })
  get reason(): string {
    return this.row.alert.reason;
  }
  @text.orNull('The effect on users; null if it was not recorded.', { complexity: SENTENCE })
  get means(): string | null {
    return this.row.alert.words?.means ?? null;
  }
  @text.orNull('What to do, as sent; null if it was not recorded.', { complexity: SENTENCE })
  get remedy(): string | null {
    return this.row.alert.words?.remedy ?? null;
  }
  @dateTime("When the trouble began, by the observer's clock; UTC.")
  get since(): Nanos {
    return millisToNanos(this.row.alert.since);
  }
  @dateTime.orNull('When the trouble ended; UTC. Null while it is open.')
  get until(): Nanos | null {
    return this.row.until === null ? null : millisToNanos(this.row.until);
  }
  @bool('True while its end is not recorded.')
  get open(): boolean {
    return this.row.until === null;
  }
  @ids('Ids of its nodes that were no longer monitored at its end: whether they are healthy is unknown.')
  get noLongerMonitored(): readonly string[] {
    return this.row.gone;
  }
  @bool(
    'Whether it is open and all of it is silenced now, by silences or by maintenance: then nobody is reminded.',
  )
  get silenced(): boolean {
    return this.open && this.now.isMuted;
  }
  @RowsOf(LIKELY_SILENCES)
  @Field(() => [Silence], {
    description: 'The silences in effect that match it, or one of its nodes. Empty once it is over.',
  })
  get silences(): readonly Silence[] {
    return this.open ? this.now.silences : [];
  }
}

export const AlertConnection = connectionOf(Alert);
