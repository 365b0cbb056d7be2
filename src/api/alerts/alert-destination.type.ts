import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { DeliveryOutcome } from '../../domain/alerts/alert-ledger.js';
import { microsToNanos, type Micros, type Nanos } from '../../domain/time.js';
import { RowsOf } from '../graphql/field-cost.js';
import { bool, dateTime, float, id, int, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';

/** Cost of a text of one or two lines. */
const SENTENCE = 15;
/** Deliveries shown of each destination. */
export const MOST_DELIVERIES = 20;

const DeliveryOutcomes = enumOf<DeliveryOutcome>(['DELIVERED', 'REFUSED', 'GIVEN_UP']);

registerEnumType(DeliveryOutcomes, {
  name: 'AlertDeliveryOutcome',
  description: 'How the delivery of a message ended.',
  valuesMap: {
    DELIVERED: { description: 'The destination accepted the message.' },
    REFUSED: { description: 'The destination refused the message for good, such as for a wrong token.' },
    GIVEN_UP: {
      description: 'The destination did not accept the message within 24 hours, or left the settings.',
    },
  },
});

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
  constructor(private readonly row: DeliveryRow) {}

  @id('Key of the message: the id of its alert, and whether it raises, reminds or resolves.')
  get key(): string {
    return this.row.notice;
  }
  @id('`Alert.id`.')
  get alertId(): string {
    return this.row.notice.replace(/-(?:raised|resolved|reminded-\d+)$/, '');
  }
  @Field(() => DeliveryOutcomes, { description: 'How it ended.' })
  get outcome(): DeliveryOutcome {
    return this.row.outcome;
  }
  @text.orNull('Why it was not accepted; null if it was. Never has the address of the destination.', {
    complexity: SENTENCE,
  })
  get error(): string | null {
    return this.row.detail || null;
  }
  @dateTime('When it ended; UTC.')
  get at(): Nanos {
    return microsToNanos(this.row.at);
  }
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
  @Field(() => [AlertDelivery], {
    description:
      'Its latest finished deliveries, newest first: at most 20, from the last 1,000 deliveries to all destinations.',
  })
  readonly deliveries: AlertDelivery[];
}

@ObjectType({ description: 'The result of a test message to a destination.' })
export class AlertTest {
  @id('`AlertDestination.id`.') readonly destination: string;
  @bool('Whether the destination accepted the message.') readonly accepted: boolean;
  @text.orNull('Why it did not; null if it did.', { complexity: SENTENCE }) readonly error: string | null;
}
