import { InputType, ObjectType } from '@nestjs/graphql';
import { type Micros, type Nanos, nanosToMicros } from '../../domain/time.js';
import { type ChangesReader, EXACT_DAYS } from '../../projections/record/readers/changes.reader.js';
import { badUserInput } from '../errors.js';
import { bool, dateTime, id } from './fields.js';
import { type Key, numbersOf } from './keyed-list.js';
import { toNanos } from './scalars.js';
import { PRESENT, type Past, type TravelArgs } from './time-travel.js';
import { VERSION } from '../objects/has-id.type.js';
import { versionOf } from '../objects/row-id.js';

/** A row with the result of {@link changedAt}. */
export interface ChangedRow {
  readonly updatedAt: Micros | null;
}

/**
 * A GraphQL row with a change number. It keeps the row that was read and computes a field on access, because most fields of most
 * rows are never requested.
 */
@ObjectType({ isAbstract: true })
export abstract class UpdatedRow<Row extends ChangedRow & { readonly toPosition?: bigint | null }> {
  /** @param past that the query is about */
  constructor(
    protected readonly row: Row,
    readonly past: Past = PRESENT,
  ) {}

  abstract readonly id: string;

  @id(VERSION)
  get versionId(): string {
    return versionOf(this.id, this.past);
  }

  @dateTime.orNull(
    `When the row last changed, by the database's clock. The latest of these times can be \`updatedSince\` of the next load. Times more than ${EXACT_DAYS} days ago are exact to the hour of UTC, and never too early. Null with \`knownAt\`.`,
  )
  get updatedAt(): Nanos | null {
    return toNanos(this.row.updatedAt);
  }

  @bool('True if the row was proven once and is no longer. Listed only with `updatedSince`.')
  get withdrawn(): boolean {
    return (this.row.toPosition ?? null) !== null;
  }
}

/** The filter arguments common to rows with change numbers. */
@InputType({ isAbstract: true })
export abstract class UpdatedFilter {
  @dateTime.orNull(
    `Rows that changed since this time, each change at least once. Rows that changed in the minute before it are returned again; for a time more than ${EXACT_DAYS} days ago, rows of the hour before it. Withdrawn rows are included. Rows are sorted by their changes, oldest first, whatever \`order\` says; rows that change meanwhile move to the end. The other conditions apply to today's values. Not with \`knownAt\`.`,
  )
  updatedSince?: Nanos | null;
}

/**
 * SQL: when a row of a table with change numbers last changed. Where its number was thinned out (`thin-changes.ts`), the next
 * remaining number is of the same hour. A subquery, because a join could change the plan of the rest of the statement.
 */
export function changedAt(alias: string): string {
  return `(SELECT c.at FROM record_change c WHERE c.change >= ${alias}.change ORDER BY c.change LIMIT 1)`;
}

/**
 * The first change number to return; undefined without `updatedSince`.
 * @throws ApiError BAD_USER_INPUT together with `knownAt`
 */
export async function findFirstChange(
  changes: ChangesReader,
  { updatedSince }: UpdatedFilter,
  { knownAt }: TravelArgs,
): Promise<bigint | undefined> {
  if (typeof updatedSince !== 'bigint') return undefined;
  if (typeof knownAt === 'bigint')
    throw badUserInput('`updatedSince` returns changes up to now, and cannot be combined with `knownAt`.');
  // Nothing was recorded before 1970, and a minute before the year 1 is not a valid time.
  return updatedSince < 0n ? 0n : changes.firstChangeSince(nanosToMicros(updatedSince));
}

/** The sort key for the order of changes: the change number, then the key that distinguishes rows of one change. */
export function changeKey(alias: string, key: Key): Key {
  // The `order` forms are dropped: the indexes that have them are of no use in this order.
  return [...numbersOf(`${alias}.change`), ...key.map(({ sql, type }) => ({ sql, type }))];
}
