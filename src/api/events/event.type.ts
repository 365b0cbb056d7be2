import { InputType, ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { Int64Field } from '../graphql/exact-field.js';
import { dateTime, id, ids, int, int64, json, text, texts } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';

/** Cost of a body: most have a few thousand characters. All bodies of an answer together are limited separately. */
const LONG_IN_THE_LOG = 500;

@ObjectType({
  implements: () => [HasId],
  description: 'An event of the log: what was observed, as it was recorded. It never changes.',
})
export class Event {
  @id('Ours, and stable; `object` finds it by it.') readonly id: string;
  @Int64Field({
    description:
      'Its place in the log, which has no gaps. Whoever has seen one never meets a smaller one later.',
  })
  readonly position: bigint;
  @text('`<node>/<subject>`, `<node>/incidents`, or `<chain>/chain`, `<chain>/operator`.')
  readonly stream: string;
  @Int64Field({ description: 'Its place in the stream, from 1 on and without gaps.' })
  readonly version: bigint;
  @text('Its type, such as `SubmissionsObserved`.') readonly type: string;
  @int("Version of the form of the type's body.") readonly schema: number;
  @dateTime('`observedAt`, under the name that charts look for.') readonly time: Nanos;
  @dateTime("By the observer's clock.") readonly observedAt: Nanos;
  @dateTime("By the database's clock; never smaller than that of the position before.")
  readonly recordedAt: Nanos;
  @json('What was observed, every character as it is stored but for passwords in addresses of nodes.', {
    complexity: LONG_IN_THE_LOG,
  })
  readonly body?: unknown;
  @text("SHA-256 over the stream's previous hash and this event, hex; `hindsight verify` checks it.")
  readonly hash: string;
}

@InputType({ description: 'Conditions that must all hold. A list that is given and empty matches nothing.' })
export class EventFilter {
  @texts.orNull('Whole names, such as `alpha/submissions`.') streams?: string[] | null;
  @texts.orNull('Names of types, such as `SubmissionRingReset`.') types?: string[] | null;
  @ids.orNull('What was observed of these nodes.') nodes?: string[] | null;
  @texts.orNull('What was observed or said of these chains, and of nodes that name them.')
  chains?: string[] | null;
  @int64.orNull('Least position; inclusive.') positionFrom?: bigint | null;
  @int64.orNull('Largest position; inclusive.') positionTo?: bigint | null;
  @dateTime.orNull('Of `recordedAt`; inclusive.') from?: Nanos | null;
  @dateTime.orNull('Of `recordedAt`; exclusive.') to?: Nanos | null;
}

export const EventConnection = connectionOf(Event);
