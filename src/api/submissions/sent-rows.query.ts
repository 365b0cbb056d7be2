import { Inject, Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../domain/events.js';
import { decodeSubmissionRow, type SubmissionRow } from '../../domain/submissions/submission-row.js';
import { decodeBody } from '../../event-log/event-codec.js';
import { ApiError } from '../errors.js';
import { readEventBatches } from '../../event-log/event-batches.js';
import { toRecordedEvent, type LogRow } from '../../event-log/log-row.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { StatementSource } from '../../platform/sql.js';

/** A row of a list where it was recorded. */
export interface RowPlace {
  readonly fromPosition: bigint;
  readonly sequence: bigint;
}

/** A row as the node sent it. */
export interface SentRow {
  readonly text: string;
  readonly row: SubmissionRow;
}

/** Bytes of rows that one answer is made from, and characters that it may have of them. */
export const LARGEST_ANSWER = 64 * 1_048_576;

/** What is told of an answer with more than {@link LARGEST_ANSWER}. */
export function tooLarge(): ApiError {
  return new ApiError('TOO_EXPENSIVE', 'These rows are very large as sent; ask for fewer of them at once.');
}

/** Reads rows of lists, as sent, from the log. */
@Injectable()
export class SentRowsQuery {
  constructor(@Inject(ReadDatabase) private readonly dataSource: StatementSource) {}

  /**
   * One for each place, in their order; undefined where the log has no such row.
   * @throws ApiError TOO_EXPENSIVE when the rows are too large to be held
   */
  async getSentRows(places: readonly RowPlace[]): Promise<(SentRow | undefined)[]> {
    const found = new Map<string, SentRow>();
    let bytes = 0;
    const positions = [...new Set(places.map((place) => place.fromPosition))];
    for await (const rows of readEventBatches(this.dataSource, positions)) {
      const events = toEvents(rows);
      for (const place of places) {
        const text = findRow(events.get(place.fromPosition), place.sequence);
        if (text === undefined) continue;
        bytes += text.length;
        if (bytes > LARGEST_ANSWER) throw tooLarge();
        found.set(nameOf(place), { text, row: decodeSubmissionRow(text) });
      }
    }
    return places.map((place) => found.get(nameOf(place)));
  }
}

/** Events with rows, by position. */
function toEvents(rows: readonly LogRow[]): ReadonlyMap<bigint, RecordedEvent> {
  const events = rows.filter(isOfRows).map((row) => toRecordedEvent(row, decodeBody));
  return new Map(events.map((event) => [event.position, event]));
}

/** Of RECONSTRUCTED rows the event is one of blocks. */
function isOfRows({ type }: LogRow): boolean {
  return type === 'SubmissionsObserved';
}

function findRow(event: RecordedEvent | undefined, sequence: bigint): string | undefined {
  if (event?.type !== 'SubmissionsObserved') return undefined;
  return event.body.rows[Number(sequence) - event.body.firstSequence];
}

function nameOf({ fromPosition, sequence }: RowPlace): string {
  return `${fromPosition}/${sequence}`;
}
