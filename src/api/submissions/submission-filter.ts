import { InputType } from '@nestjs/graphql';
import { Inject, Injectable } from '@nestjs/common';
import {
  evidenceCodeOf,
  kindCodeOf,
  statusCodeOf,
  type SubmissionEvidence,
  type SubmissionKind,
  type SubmissionStatus,
} from '../../domain/submissions/submission-codes.js';
import type { FailureCode } from '../../domain/submissions/failure-cause.js';
import type { Nanos } from '../../domain/time.js';
import { enumOf } from '../graphql/literal-enum.js';
import { anywhere, type SqlParameters } from '../graphql/sql-text.js';
import { UpdatedFilter } from '../graphql/updated-rows.js';
import { causeCondition, statusesOfCauses } from './cause-sql.js';
import { FailureCodes } from './failure-cause.type.js';
import { SubmissionEvidences, SubmissionKinds, SubmissionStatuses } from './submission-words.type.js';
import { dateTime, fieldOf, ids, int64, text, texts } from '../graphql/fields.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';

export const SubmissionOrder = enumOf(
  'SubmissionOrder',
  'OBSERVED: as they became known, per node in the order of `sequence`. OCCURRED: by `occurredAt`, or `observedAt` if `occurredAt` is null or implausible; the faster order for paging through a long time.',
  {
    OBSERVED_DESC: 'Last known first.',
    OBSERVED_ASC: 'First known first.',
    OCCURRED_DESC: 'Newest first.',
    OCCURRED_ASC: 'Oldest first.',
  },
);
export type SubmissionOrder = keyof typeof SubmissionOrder;

const evidences = fieldOf(() => [SubmissionEvidences]);
const statuses = fieldOf(() => [SubmissionStatuses]);
const causes = fieldOf(() => [FailureCodes]);
const kinds = fieldOf(() => [SubmissionKinds]);

@InputType({ description: 'Conditions that must all hold. An empty list matches nothing.' })
export class SubmissionFilter extends UpdatedFilter {
  @ids.orNull('Ids of nodes. Leaves out `RECONSTRUCTED` and `UNDECIDED`, which have no node.')
  nodes?: string[] | null;
  @texts.orNull('Ids of chains.') chains?: string[] | null;
  @dateTime.orNull(
    'Start of the range of `occurredAt`, or `observedAt` if `occurredAt` is null or implausible; inclusive.',
  )
  from?: Nanos | null;
  @dateTime.orNull('End of the range, like `from`; exclusive.') to?: Nanos | null;
  @statuses.orNull('How it ended.') statuses?: SubmissionStatus[] | null;
  @kinds.orNull('The content of its batch.') kinds?: SubmissionKind[] | null;
  @texts.orNull("58 hex digits; case and 0x don't matter.") namespaces?: string[] | null;
  @evidences.orNull('Kinds of evidence; all kinds if left out.')
  evidence?: SubmissionEvidence[] | null;
  @int64.orNull('Lowest DA height; inclusive.') daHeightFrom?: bigint | null;
  @int64.orNull('Highest DA height; inclusive.') daHeightTo?: bigint | null;
  @text.orNull('Part of the message; case does not matter.') message?: string | null;
  @causes.orNull('Causes of failed attempts, as in `cause.code`; a success has no cause.')
  causes?: FailureCode[] | null;
}

/** Keys for the names in a filter. Undefined: no condition. */
export interface FilterKeys {
  readonly nodes: readonly number[] | undefined;
  /** Existing chains only: an unknown chain would make the database scan every row. */
  readonly chains: readonly string[] | undefined;
  readonly namespaces: readonly number[] | undefined;
  /** Only rows with this change number or a later one. */
  readonly firstChange?: bigint | undefined;
  /** The filter has a message, and there is an index of messages. */
  readonly isIndexedMessage: boolean;
}

/** Current rows, and withdrawn rows that no list showed, unless a current row with the same id replaced them. */
const STANDING_OR_WITHDRAWN = `(s.to_position IS NULL OR NOT EXISTS (
  SELECT FROM submission again WHERE again.node_key IS NULL AND again.to_position IS NULL
     AND again.lineage_key = s.lineage_key AND again.kind = s.kind AND again.da_height = s.da_height))`;

/** Conditions on `submission s`, except message, cause, status and evidence. @param columns SQL of its time and DA height */
export function submissionConditions(
  filter: SubmissionFilter,
  { nodes, chains, namespaces, firstChange }: FilterKeys,
  parameters: SqlParameters,
  columns?: { readonly timeAt: string; readonly daHeight: string },
): string[] {
  return [
    ...(firstChange === undefined
      ? ['s.to_position IS NULL']
      : [STANDING_OR_WITHDRAWN, ...parameters.compare('s.change', '>=', firstChange)]),
    // Equality for a single node, so that the rows come in its order.
    ...(nodes?.length === 1
      ? [`s.node_key = ${parameters.add(nodes[0], 'int')}`]
      : parameters.oneOf('s.node_key', nodes, 'int[]')),
    ...parameters.oneOf('s.namespace_key', namespaces, 'int[]'),
    ...parameters.oneOf('s.kind', filter.kinds?.map(kindCodeOf), 'smallint[]'),
    ...(chains?.length === 0 ? ['false'] : parameters.oneOf('s.chain_id', chains)),
    ...timeConditions(filter, parameters, columns?.timeAt),
    ...heightConditions(filter, parameters, columns?.daHeight),
  ];
}

/** The conditions on the message and the cause, which {@link submissionConditions} leaves out. */
export function messageConditions(
  { message, causes: wanted }: SubmissionFilter,
  parameters: SqlParameters,
): string[] {
  return [
    ...(message ? [`s.message ILIKE ${parameters.add(anywhere(message), 'text')}`] : []),
    ...(wanted ? [causeCondition(wanted, parameters)] : []),
  ];
}

/** The statuses that rows may have, also by their cause, so that the index of a rare status finds them; undefined for all. */
function statusesOf({
  statuses: named,
  causes: wanted,
}: SubmissionFilter): readonly SubmissionStatus[] | undefined {
  const ofCauses = wanted ? statusesOfCauses(wanted) : undefined;
  if (!named || !ofCauses) return named ?? ofCauses;
  return ofCauses.filter((status) => named.includes(status));
}

export function wordConditions(filter: SubmissionFilter, parameters: SqlParameters): string[] {
  const { evidence } = filter;
  return [
    ...parameters.oneOf('s.status', statusesOf(filter)?.map(statusCodeOf), 'smallint[]'),
    ...parameters.oneOf('s.evidence', evidence?.map(evidenceCodeOf), 'smallint[]'),
  ];
}

/**
 * The same conditions as alternatives with a single value each. Rare values have an index each, in the order of the list; the
 * planner would not use it for a set of values.
 */
export function rareConditions(filter: SubmissionFilter): string[][] {
  const ofStatus = equal('s.status', statusesOf(filter)?.map(statusCodeOf));
  const ofEvidence = equal('s.evidence', filter.evidence?.map(evidenceCodeOf));
  return ofStatus.flatMap((status) => ofEvidence.map((each) => [...status, ...each]));
}

function equal(column: string, codes: readonly number[] | undefined): string[][] {
  if (!codes) return [[]];
  return codes.length === 0 ? [['false']] : [...new Set(codes)].map((code) => [`${column} = ${code}`]);
}

function heightConditions(
  { daHeightFrom, daHeightTo }: Pick<SubmissionFilter, 'daHeightFrom' | 'daHeightTo'>,
  parameters: SqlParameters,
  daHeight = 's.da_height',
): string[] {
  return [
    ...parameters.compare(daHeight, '>=', daHeightFrom),
    ...parameters.compare(daHeight, '<=', daHeightTo),
  ];
}

export function timeConditions(
  { from, to }: Pick<SubmissionFilter, 'from' | 'to'>,
  parameters: SqlParameters,
  timeAt = 's.time_at',
): string[] {
  return [...parameters.compareTime(timeAt, '>=', from), ...parameters.compareTime(timeAt, '<', to)];
}

interface KeyRow {
  readonly nodes: number[] | null;
  readonly chains: string[] | null;
  readonly namespaces: number[] | null;
}

const NO_KEYS = { nodes: undefined, chains: undefined, namespaces: undefined };

/** Whether there is an index of messages, which needs the extension for trigrams. */
export async function hasMessageIndex(source: Database): Promise<boolean> {
  const [row] = await source.query<{ has: boolean }[]>(
    "SELECT to_regclass('submission_message_idx') IS NOT NULL AS has",
  );
  return row?.has === true;
}

/** Looks up the keys of the names in a filter first, so that the planner knows the values it plans for. */
@Injectable()
export class FilterKeysQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** An unknown name has no key, so it matches nothing. */
  async getFilterKeys(filter: SubmissionFilter): Promise<FilterKeys> {
    const isIndexedMessage = Boolean(filter.message) && (await hasMessageIndex(this.reads));
    if (!filter.nodes && !filter.chains && !filter.namespaces) return { ...NO_KEYS, isIndexedMessage };
    const namespaces = filter.namespaces?.map((text) => text.toLowerCase().replace(/^0x/, ''));
    const rows = await this.reads.query<KeyRow[]>(
      `SELECT (SELECT array_agg(node_key) FROM node WHERE id = ANY ($1::text[])) AS nodes,
              (SELECT array_agg(DISTINCT chain_id) FROM (SELECT chain_id FROM lineage UNION ALL SELECT chain_id FROM node_chain) c
                WHERE chain_id = ANY ($2::text[])) AS chains,
              (SELECT array_agg(namespace_key) FROM namespace WHERE namespace = ANY ($3::text[])) AS namespaces`,
      [filter.nodes ?? [], filter.chains ?? [], namespaces ?? []],
    );
    const found = rows[0];
    return {
      nodes: filter.nodes ? (found?.nodes ?? []) : undefined,
      chains: filter.chains ? (found?.chains ?? []) : undefined,
      namespaces: namespaces ? (found?.namespaces ?? []) : undefined,
      isIndexedMessage,
    };
  }
}
