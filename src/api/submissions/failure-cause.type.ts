import { ObjectType } from '@nestjs/graphql';
import {
  FAILURE_CODES,
  titleOfCause,
  type FailureDiagnosis,
  type FailureCode,
} from '../../domain/submissions/failure-cause.js';
import { field, sentence } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';

export const FailureCodes = enumOf<FailureCode>(
  'FailureCode',
  'Causes of failures. A code is never reused for another cause.',
  Object.fromEntries(FAILURE_CODES.map((code) => [code, titleOfCause(code)])) as Record<FailureCode, string>,
);

@ObjectType({ description: 'Why an attempt failed, as far as its status and message show, and what to do.' })
export class FailureCause implements FailureDiagnosis {
  @field(() => FailureCodes, 'The cause, for programs.') readonly code: FailureCode;
  @sentence('The cause in one line.') readonly title: string;
  @sentence('How to fix it.') readonly remedy: string;
}
