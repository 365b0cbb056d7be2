import { Field, ID, InputType, registerEnumType } from '@nestjs/graphql';
import {
  evidenceCodeOf,
  kindCodeOf,
  statusCodeOf,
  type SubmissionEvidence,
  type SubmissionKind,
} from '../../domain/submissions/submission-codes.js';
import type { SubmissionStatus } from '../../domain/submissions/submission-row.js';
import { DateTime, Int64 } from '../graphql/scalars.js';
import { likeAnywhere, type SqlParameters } from '../graphql/sql-text.js';
import { SubmissionEvidences, SubmissionKinds, SubmissionStatuses } from './submission.type.js';

export enum SubmissionOrder {
  OBSERVED_DESC = 'OBSERVED_DESC',
  OBSERVED_ASC = 'OBSERVED_ASC',
  OCCURRED_DESC = 'OCCURRED_DESC',
  OCCURRED_ASC = 'OCCURRED_ASC',
}

registerEnumType(SubmissionOrder, {
  name: 'SubmissionOrder',
  description:
    'OBSERVED: as they became known, per node in the order of `sequence`. OCCURRED: by `occurredAt`, or `observedAt` where that is null or wild; the faster one to walk through a long time.',
});

@InputType({ description: 'Conditions that must all hold. A list that is given and empty matches nothing.' })
export class SubmissionFilter {
  @Field(() => [ID], { nullable: true, description: 'Leaves out `RECONSTRUCTED`, which have no node.' })
  nodes?: string[] | null;

  @Field(() => [String], { nullable: true })
  chains?: string[] | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Of `occurredAt`, or `observedAt` where that is null or wild; inclusive.',
  })
  from?: bigint | null;

  @Field(() => DateTime, { nullable: true, description: 'As `from`; exclusive.' })
  to?: bigint | null;

  @Field(() => [SubmissionStatuses], { nullable: true })
  statuses?: SubmissionStatus[] | null;

  @Field(() => [SubmissionKinds], { nullable: true })
  kinds?: SubmissionKind[] | null;

  @Field(() => [String], { nullable: true, description: "58 hex digits; case and 0x don't matter." })
  namespaces?: string[] | null;

  @Field(() => [SubmissionEvidences], {
    nullable: true,
    description: 'Every kind of evidence unless some are named.',
  })
  evidence?: SubmissionEvidence[] | null;

  @Field(() => Int64, { nullable: true, description: 'Inclusive.' })
  daHeightFrom?: bigint | null;

  @Field(() => Int64, { nullable: true, description: 'Inclusive.' })
  daHeightTo?: bigint | null;

  @Field(() => String, { nullable: true, description: 'Part of the message, in any case.' })
  message?: string | null;
}

/** The keys that names in a filter stand for. Undefined: no condition. */
export interface FilterKeys {
  readonly nodes: readonly number[] | undefined;
  /** Lineages of the chains, and nodes of them, for rows that have no lineage yet. */
  readonly lineages: readonly number[] | undefined;
  readonly chainNodes: readonly number[];
  readonly namespaces: readonly number[] | undefined;
  /** There is a time, and few enough rows lie in it to be sorted. */
  readonly isShortTime: boolean;
}

/** Conditions on `submission s`. */
export function submissionConditions(
  filter: SubmissionFilter,
  keys: FilterKeys,
  parameters: SqlParameters,
): string[] {
  const conditions = ['s.to_position IS NULL'];
  const addList = (column: string, values: readonly number[] | null | undefined, type: string): void => {
    if (values) conditions.push(`${column} = ANY (${parameters.add(values, type)})`);
  };
  // Of one node as an equality, so that the rows come in its order.
  if (keys.nodes?.length === 1) conditions.push(`s.node_key = ${parameters.add(keys.nodes[0], 'int')}`);
  else addList('s.node_key', keys.nodes, 'int[]');
  addList('s.namespace_key', keys.namespaces, 'int[]');
  addList('s.status', filter.statuses?.map(statusCodeOf), 'smallint[]');
  addList('s.kind', filter.kinds?.map(kindCodeOf), 'smallint[]');
  addList('s.evidence', filter.evidence?.map(evidenceCodeOf), 'smallint[]');
  if (keys.lineages) {
    const lineages = parameters.add(keys.lineages, 'int[]');
    const nodes = parameters.add(keys.chainNodes, 'int[]');
    conditions.push(
      `(s.lineage_key = ANY (${lineages}) OR (s.lineage_key IS NULL AND s.node_key = ANY (${nodes})))`,
    );
  }
  conditions.push(...timeConditions(filter, parameters));
  if (typeof filter.daHeightFrom === 'bigint') {
    conditions.push(`s.da_height >= ${parameters.add(filter.daHeightFrom, 'bigint')}`);
  }
  if (typeof filter.daHeightTo === 'bigint') {
    conditions.push(`s.da_height <= ${parameters.add(filter.daHeightTo, 'bigint')}`);
  }
  if (filter.message)
    conditions.push(`s.message ILIKE ${parameters.add(likeAnywhere(filter.message), 'text')}`);
  return conditions;
}

/** Conditions on the time of `submission s`. */
export function timeConditions(
  { from, to }: Pick<SubmissionFilter, 'from' | 'to'>,
  parameters: SqlParameters,
): string[] {
  const conditions: string[] = [];
  if (typeof from === 'bigint') conditions.push(`s.time_at >= ${parameters.addTime(from)}`);
  if (typeof to === 'bigint') conditions.push(`s.time_at < ${parameters.addTime(to)}`);
  return conditions;
}
