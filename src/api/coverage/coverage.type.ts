import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { bool, dateTime, id, int, text } from '../graphql/fields.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

@ArgsType()
export class CoverageArgs {
  @text.orNull('Where every node of it that counts is covered. A node counts from first contact until it is retired, but not while it says that it is no aggregator. Either `chain` or `node` is needed.')
  chain?: string | null;
  @id.orNull('Either `chain` or `node` is needed.') node?: string | null;
  @dateTime.orNull('From this time on: what lies before is left out.') from?: Nanos | null;
  @dateTime.orNull('Up to this time: what lies behind is left out.') to?: Nanos | null;
  @dateTime.orNull('By looks that were recorded by this time.') knownAt?: Nanos | null;
}

@ObjectType({ implements: () => [HasId],
  description:
    "A time in which no row of a list of submissions can have been missed. What lies between two of them is not proven: `coverageGaps` tells why, and `losses` which rows may be missing.",
})
export class CoverageInterval {
  @id('Ours, and stable; `object` finds it by it.') readonly id: string;
  @id(VERSION) readonly versionId: string;
  @dateTime('`from`, under the name that charts look for.') readonly time: Nanos;
  @dateTime('The first look of it; UTC.') readonly from: Nanos;
  @dateTime('Of the last one: the last look so far that left nothing out.') readonly to: Nanos;
  @int('How many lists it is proven of. An address can lead to several, and several addresses to one.')
  readonly lists: number;
}

@ObjectType({ implements: () => [HasId], description: 'A time that is not covered, and why. The gaps of a node do not overlap; of a chain several nodes can be the reason at one time.' })
export class CoverageGap {
  @id('Ours, and stable; `object` finds it by it.') readonly id: string;
  @id(VERSION) readonly versionId: string;
  @dateTime('`from`, under the name that charts look for.') readonly time: Nanos;
  @dateTime('The last poll that proves something, or where the asked time begins.') readonly from: Nanos;
  @dateTime('Of one that goes on: the present, or where the asked time ends.') readonly to: Nanos;
  @id.orNull('The node that is the reason; null where no single one is.') readonly node: string | null;
  @bool('Whether it goes on.') readonly open: boolean;
  @text('Why it is not covered, for a person.') readonly reason: string;
}
