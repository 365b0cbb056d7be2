import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { bool, dateTime, id, int, text } from '../graphql/fields.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

@ArgsType()
export class CoverageArgs {
  @text.orNull('Id of the chain. It is covered while every node of it that counts is covered. A node counts from first contact until it is retired, but not while it reports that it is no aggregator. Either `chain` or `node` is needed.')
  chain?: string | null;
  @id.orNull('Either `chain` or `node` is needed.') node?: string | null;
  @dateTime.orNull('Start of the range: earlier time is left out.') from?: Nanos | null;
  @dateTime.orNull('End of the range: later time is left out.') to?: Nanos | null;
  @dateTime.orNull('Only polls that were recorded by this time.') knownAt?: Nanos | null;
}

@ObjectType({ implements: () => [HasId],
  description:
    'A period in which no row of a list of submissions can have been missed. The time between two periods is not proven: `coverageGaps` lists the reasons, and `losses` the rows that may be missing.',
})
export class CoverageInterval {
  @id('Hindsight\'s own stable id; `object` finds the row by this id.') readonly id: string;
  @id(VERSION) readonly versionId: string;
  @dateTime('Same as `from`, under the name that charts expect.') readonly time: Nanos;
  @dateTime('The first poll of the period; UTC.') readonly from: Nanos;
  @dateTime('End of the period; for the last period, the last poll so far that missed nothing.') readonly to: Nanos;
  @int('Number of lists for which this is proven. One address can lead to several lists, and several addresses to one list.')
  readonly lists: number;
}

@ObjectType({ implements: () => [HasId], description: 'A period that is not covered, and the reason. Gaps of one node do not overlap. For a chain, several nodes can be the reason at the same time.' })
export class CoverageGap {
  @id('Hindsight\'s own stable id; `object` finds the row by this id.') readonly id: string;
  @id(VERSION) readonly versionId: string;
  @dateTime('Same as `from`, under the name that charts expect.') readonly time: Nanos;
  @dateTime('The last poll that proves something, or the start of the requested range.') readonly from: Nanos;
  @dateTime('End of the gap. While it is ongoing: the present, or the end of the requested range.') readonly to: Nanos;
  @id.orNull('The node that is the reason; null if it is not a single node.') readonly node: string | null;
  @bool('Whether the gap is ongoing.') readonly open: boolean;
  @text('Why the period is not covered, in words.') readonly reason: string;
}
