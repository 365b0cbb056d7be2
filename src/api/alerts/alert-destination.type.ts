import { ObjectType } from '@nestjs/graphql';
import type { DeliveryOutcome } from '../../domain/alerts/alert-ledger.js';
import { microsToNanos, type Micros, type Nanos } from '../../domain/time.js';
import { RowsOf } from '../graphql/field-cost.js';
import { bool, dateTime, field, float, id, int, sentence, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';

/** Deliveries shown of each destination. */
export const MOST_DELIVERIES = 20;

const DeliveryOutcomes = enumOf<DeliveryOutcome>(
  'AlertDeliveryOutcome',
  'How the delivery of a message ended.',
  {
    DELIVERED: 'The destination accepted the message.',
    REFUSED: 'The destination refused the message for good, such as for a wrong token.',
    GIVEN_UP: 'The destination did not accept the message within 24 hours, or left the settings.',
  },
);

/** A finished delivery, as recorded. */
export interface DeliveryRow {
  readonly destination: string;
  readonly notice: string;
  readonly outcome: DeliveryOutcome;
  readonly detail: string | null;
  readonly at: Micros;
}

@ObjectType({ description: 'A message to a destination that was accepted, refused or given up.' })
export class AlertDelivery {
  @id('Key of the message: the id of its alert, and whether it raises, reminds or resolves.')
  readonly key: string;
  @id('`Alert.id`.') readonly alertId: string;
  @field(() => DeliveryOutcomes, 'How it ended.') readonly outcome: DeliveryOutcome;
  @sentence.orNull('Why it was not accepted; null if it was. Never has the address of the destination.')
  readonly error: string | null;
  @dateTime('When it ended; UTC.') readonly at: Nanos;
}

export function toAlertDelivery({ notice, outcome, detail, at }: DeliveryRow): AlertDelivery {
  const alertId = notice.replace(/-(?:raised|resolved|reminded-\d+)$/, '');
  return { key: notice, alertId, outcome, error: detail || null, at: microsToNanos(at) };
}

@ObjectType({ description: 'A destination of alerts in the settings of this process, without its address.' })
export class AlertDestination {
  @id('Its id.') readonly id: string;
  @text('`webhook`, `slack`, `alertmanager`, `pagerduty`, `telegram`, `teams` or `email`.')
  readonly kind: string;
  @float.orNull('Time between reminders of an ongoing alert, in milliseconds; null: no reminders.')
  readonly remindMs: number | null;
  @int('Messages that it has not accepted yet; they are sent again.') readonly pending: number;
  @RowsOf(MOST_DELIVERIES)
  @field(
    () => [AlertDelivery],
    'Its latest finished deliveries, newest first: at most 20, from the last 1,000 deliveries to all destinations.',
  )
  readonly deliveries: AlertDelivery[];
}

@ObjectType({ description: 'The result of a test message to a destination.' })
export class AlertTest {
  @id('`AlertDestination.id`.') readonly destination: string;
  @bool('Whether the destination accepted the message.') readonly accepted: boolean;
  @sentence.orNull('Why it did not; null if it did.') readonly error: string | null;
}
