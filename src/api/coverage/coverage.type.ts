import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { dateTime, id, text } from '../graphql/fields.js';

/** Whose coverage is asked for, and of which time. */
@ArgsType()
export class CoverageArgs {
  @text.orNull('Where any of its nodes is covered. Either `chain` or `node` is needed.')
  chain?: string | null;
  @id.orNull('Either `chain` or `node` is needed.') node?: string | null;
  @dateTime.orNull('Only what reaches beyond this time.') from?: Nanos | null;
  @dateTime.orNull('Only what begins before this time.') to?: Nanos | null;
  @dateTime.orNull('By looks that were recorded by this time.') knownAt?: Nanos | null;
}

@ObjectType({
  description:
    "A time in which no row of a list of submissions can have been missed. What lies between two of them is not covered: rows may be missing there, see `losses`.",
})
export class CoverageInterval {
  @dateTime('`from`, under the name that charts look for.') readonly time: Nanos;
  @dateTime() readonly from: Nanos;
  @dateTime('Of the last one: the last look so far that left nothing out.') readonly to: Nanos;
}
