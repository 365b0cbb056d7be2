import { ObjectType } from '@nestjs/graphql';
import type { Alert as RecordedAlert } from '../../domain/alerts/alert-ledger.js';
import type { TroubledState } from '../../domain/health/trouble.js';
import { millisToNanos, type Millis, type Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { RowsOf } from '../graphql/field-cost.js';
import { bool, dateTime, field, id, ids, sentence, text } from '../graphql/fields.js';
import { HealthStates } from '../health/health.type.js';
import { Silence } from '../silences/silence.type.js';

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
  @id('Its id, as in messages.') readonly id: string;
  @text('Name of the alert rule, as in `AlertRule.name`.') readonly rule: string;
  @field(() => HealthStates, '`WARNING` or `CRITICAL`.') readonly severity: TroubledState;
  @text.orNull('The chain that it is about; null if unknown, and for alerts about Hindsight itself.')
  readonly chain: string | null;
  @ids('Ids of its nodes. Empty if it is about a chain, or about Hindsight itself.')
  readonly nodes: readonly string[];
  @sentence('What is wrong, in a few words.') readonly title: string;
  @sentence('The reason at its beginning, in words.') readonly reason: string;
  @sentence.orNull('The effect on users; null if it was not recorded.') readonly means: string | null;
  @sentence.orNull('What to do, as sent; null if it was not recorded.') readonly remedy: string | null;
  @dateTime("When the trouble began, by the observer's clock; UTC.") readonly since: Nanos;
  @dateTime.orNull('When the trouble ended; UTC. Null while it is open.') readonly until: Nanos | null;
  @bool('True while its end is not recorded.') readonly open: boolean;
  @ids('Ids of its nodes that were no longer monitored at its end: whether they are healthy is unknown.')
  readonly noLongerMonitored: readonly string[];
  @bool(
    'Whether it is open and all of it is silenced now, by silences or by maintenance: then nobody is reminded.',
  )
  readonly silenced: boolean;
  @RowsOf(LIKELY_SILENCES)
  @field(() => [Silence], 'The silences in effect that match it, or one of its nodes. Empty once it is over.')
  readonly silences: readonly Silence[];
}

export function toAlert({ alert, until, gone }: AlertRow, now: AlertSilences): Alert {
  const { title = alert.rule, means = null, remedy = null } = alert.words ?? {};
  const open = until === null;
  return {
    ...alert,
    title,
    means,
    remedy,
    open,
    since: millisToNanos(alert.since),
    until: open ? null : millisToNanos(until),
    noLongerMonitored: gone,
    silenced: open && now.isMuted,
    silences: open ? now.silences : [],
  };
}

export const AlertConnection = connectionOf(Alert);
