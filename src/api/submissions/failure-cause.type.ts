import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import {
  FAILURE_CODES,
  titleOfCause,
  type FailureDiagnosis,
  type FailureCode,
} from '../../domain/submissions/failure-cause.js';
import { text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';

export const FailureCodes = enumOf<FailureCode>(FAILURE_CODES);

registerEnumType(FailureCodes, {
  name: 'FailureCode',
  description: 'Causes of failures. A code is never reused for another cause.',
  valuesMap: Object.fromEntries(FAILURE_CODES.map((code) => [code, { description: titleOfCause(code) }])),
});

/** Cost of a text of one or two lines. */
const SENTENCE = 15;

@ObjectType({ description: 'Why an attempt failed, as far as its status and message show, and what to do.' })
export class FailureCause implements FailureDiagnosis {
  @Field(() => FailureCodes, { description: 'The cause, for programs.' }) readonly code: FailureCode;
  @text('The cause in one line.', { complexity: SENTENCE }) readonly title: string;
  @text('How to fix it.', { complexity: SENTENCE }) readonly remedy: string;
}
