import { z } from 'zod';
import { SUBMISSION_KINDS, SUBMISSION_STATUSES } from '../../domain/submissions/submission-codes.js';
import { REPORT_BUCKETS, REPORT_GROUPS } from '../../statistics/read/plan/report-request.js';
import { isWithinTime } from '../graphql/scalars.js';
import { questionPart, readQuestionPart, rowId, versionOf } from '../objects/row-id.js';
import type { ReportArgs } from './report-args.type.js';
import type { ReportRow } from './statistics-row.type.js';

/** A time in the request of an id, as decimal nanoseconds. */
export const QUESTION_TIME = z
  .string()
  .regex(/^-?\d{1,20}$/)
  .transform(BigInt)
  .refine(isWithinTime);

const names = z.array(z.string()).nullish();

/** The request inside a row's id. It comes from clients and has not been validated before. */
const QUESTION = z.strictObject({
  filter: z
    .strictObject({
      nodes: names,
      chains: names,
      namespaces: names,
      kinds: z.array(z.enum(SUBMISSION_KINDS)).nullish(),
      statuses: z.array(z.enum(SUBMISSION_STATUSES)).nullish(),
    })
    .optional(),
  bucket: z.enum(REPORT_BUCKETS),
  groupBy: z.array(z.enum(REPORT_GROUPS)),
  from: QUESTION_TIME.optional(),
  to: QUESTION_TIME.optional(),
  timeZone: z.string().optional(),
  pricesAsOf: QUESTION_TIME.optional(),
});

/** Parses the request of an id; undefined if it is invalid. */
export function readReportQuestion(part: string | undefined): z.infer<typeof QUESTION> | undefined {
  return QUESTION.safeParse(readQuestionPart(part)).data;
}

/** Names the rows of a report. @returns a function that returns the id and version of a row */
export function reportNamer(
  type: 'StatisticsRow' | 'CostRow',
  args: ReportArgs,
): (row: ReportRow) => { readonly id: string; readonly versionId: string } {
  const { asOf, knownAt, groupBy, ...rest } = args;
  const question = questionPart({ ...rest, groupBy: groupBy ?? [] });
  return ({ time, node, chain, namespace, kind, status }) => {
    const id = rowId(type, question, time, node, chain, namespace, kind, status);
    return { id, versionId: versionOf(id, { asOf, knownAt }) };
  };
}
