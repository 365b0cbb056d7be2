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

/** What {@link changedAt} reads of a row. */
export interface ChangedRow {
  readonly updatedAt: Micros | null;
}

/**
 * A row with a change number, as GraphQL answers it. It keeps the row that was read, and makes a field when somebody asks for it:
 * most fields of most rows are never asked for.
 */
@ObjectType({ isAbstract: true })
export abstract class UpdatedRow<Row extends ChangedRow & { readonly toPosition?: bigint | null }> {
  /** @param past in which it was asked for */
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
    `When what is known of it last changed, by the database's clock: \`updatedSince\` of the next load can be the latest of these. More than ${EXACT_DAYS} days ago it is exact to the hour of UTC, and never too early. Null with \`knownAt\`.`,
  )
  get updatedAt(): Nanos | null {
    return toNanos(this.row.updatedAt);
  }

  @bool('It was proven once and is no more. Listed only with `updatedSince`.')
  get withdrawn(): boolean {
    return (this.row.toPosition ?? null) !== null;
  }
}

/** What filters of such rows take. */
@InputType({ isAbstract: true })
export abstract class UpdatedFilter {
  @dateTime.orNull(
    `Rows of which something changed since, and each change at least once. Those of the last minute before it come again, of a time more than ${EXACT_DAYS} days ago those of the last hour. Withdrawn ones are among them. They come in the order of their changes, the oldest first, whatever \`order\` says; rows that change meanwhile move to the end. Of the other conditions what holds today counts. Not with \`knownAt\`.`,
  )
  updatedSince?: Nanos | null;
}

/**
 * SQL: when a row of a table with change numbers was last changed. Where its number was thinned out (`thin-changes.ts`), the next
 * one that is left is of the same hour. Looked up, as a join could change the plan of what it is joined to.
 */
export function changedAt(alias: string): string {
  return `(SELECT c.at FROM record_change c WHERE c.change >= ${alias}.change ORDER BY c.change LIMIT 1)`;
}

/**
 * The first change number that is asked for; undefined where no changes are.
 * @throws ApiError BAD_USER_INPUT together with `knownAt`
 */
export async function findFirstChange(
  changes: ChangesReader,
  { updatedSince }: UpdatedFilter,
  { knownAt }: TravelArgs,
): Promise<bigint | undefined> {
  if (typeof updatedSince !== 'bigint') return undefined;
  if (typeof knownAt === 'bigint')
    throw badUserInput('`updatedSince` tells of changes up to now: not together with `knownAt`.');
  // Nothing was recorded before 1970, and a minute before the first year is no time.
  return updatedSince < 0n ? 0n : changes.firstChangeSince(nanosToMicros(updatedSince));
}

/** What places rows in the order of their changes: the number, then what tells rows of one change apart. */
export function changeKey(alias: string, key: Key): Key {
  // In that order the forms that an index has are of no use.
  return [...numbersOf(`${alias}.change`), ...key.map(({ sql, type }) => ({ sql, type }))];
}
