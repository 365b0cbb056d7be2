import { InputType, ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { dateTime, exactInt64, id, ids, int, int64, json, text, texts } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';

/** Cost of a body: most have a few thousand characters. All bodies of an answer together are limited separately. */
const LONG_IN_THE_LOG = 500;

@ObjectType({
  implements: () => [HasId],
  description: 'An event of the log: an observation, as it was recorded. It never changes.',
})
export class Event {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @exactInt64(
    'Its position in the log, without gaps. A client that has seen a position never finds a new event at a smaller position later.',
  )
  readonly position: bigint;
  @text('`<node>/<subject>`, `<node>/incidents`, `<node>/exclusion`, or `<chain>/chain`, `<chain>/operator`.')
  readonly stream: string;
  @exactInt64('Its number in the stream, from 1 and without gaps.') readonly version: bigint;
  @text('Its type, such as `SubmissionsObserved`.') readonly type: string;
  @int("Version of the body's format for this type.") readonly schema: number;
  @dateTime('Same as `observedAt`, under the name that charts expect.') readonly time: Nanos;
  @dateTime("When it was observed, by the observer's clock.") readonly observedAt: Nanos;
  @dateTime(
    "When it was recorded, by the database's clock; never earlier than the event at the previous position.",
  )
  readonly recordedAt: Nanos;
  @json('The observation, exactly as stored except for passwords in node addresses.', {
    complexity: LONG_IN_THE_LOG,
  })
  readonly body?: unknown;
  @text("SHA-256 over the stream's previous hash and this event, hex; `hindsight verify` checks it.")
  readonly hash: string;
}

@InputType({ description: 'Conditions that must all hold. An empty list matches nothing.' })
export class EventFilter {
  @texts.orNull('Full names of streams, such as `alpha/submissions`.') streams?: string[] | null;
  @texts.orNull('Names of event types, such as `SubmissionRingReset`.') types?: string[] | null;
  @ids.orNull('Events about these nodes.') nodes?: string[] | null;
  @texts.orNull('Events about these chains, and about nodes that name them.') chains?: string[] | null;
  @int64.orNull('Lowest position; inclusive.') positionFrom?: bigint | null;
  @int64.orNull('Highest position; inclusive.') positionTo?: bigint | null;
  @dateTime.orNull('Start of the range of `recordedAt`; inclusive.') from?: Nanos | null;
  @dateTime.orNull('End of the range of `recordedAt`; exclusive.') to?: Nanos | null;
}

export const EventConnection = connectionOf(Event);
