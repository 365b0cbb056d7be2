import { Inject, Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../domain/events.js';
import { decodeSubmissionRow, type SubmissionRow } from '../../domain/submissions/submission-row.js';
import { decodeBody, toRecordedEvent, type LogRow } from '../../event-log/logged-event.js';
import { bytesToRead, readEventBatches, readEventSizes } from '../../event-log/event-batches.js';
import { ownText } from '../../event-log/own-text.js';
import { tooLarge } from '../../platform/reads/text-budget.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { ReadTexts } from '../../platform/reads/read-request.js';
import type { Database } from '../../platform/sql.js';

/** Where the log has a row of a list. */
export interface LoggedRowKey {
  readonly fromPosition: bigint;
  readonly sequence: bigint;
}

/** A row as the node sent it, decoded on first use. */
export class SentRow {
  private decoded: SubmissionRow | undefined;

  constructor(readonly text: string) {}

  get row(): SubmissionRow {
    return (this.decoded ??= decodeSubmissionRow(this.text));
  }
}

/** Limit of bytes of rows to read for one answer, and of their characters in it. */
export const LARGEST_ANSWER = 64 * 1_048_576;

/** Reads rows of lists, as sent, from the log. */
@Injectable()
export class SentRowsQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /**
   * One row per place, in the same order; undefined if the log has no such row.
   * @throws ReadRefused LARGE if the rows are too large for memory, FULL if other requests use too much of it
   */
  async getSentRows(places: readonly LoggedRowKey[]): Promise<(SentRow | undefined)[]> {
    const found = new Map<string, SentRow>();
    let bytes = 0;
    const positions = [...new Set(places.map((place) => place.fromPosition))];
    const sizes = await readEventSizes(this.reads, positions);
    const texts = new ReadTexts();
    await texts.hold(bytesToRead(sizes, LARGEST_ANSWER));
    for await (const rows of readEventBatches(this.reads, sizes)) {
      const events = toEvents(rows);
      for (const place of places) {
        const text = findRow(events.get(place.fromPosition), place.sequence);
        if (text === undefined) continue;
        bytes += text.length;
        if (bytes > LARGEST_ANSWER) throw tooLarge();
        found.set(nameOf(place), new SentRow(ownText(text)));
      }
    }
    texts.keep(bytes);
    return places.map((place) => found.get(nameOf(place)));
  }
}

/** Events with rows, by position. */
function toEvents(rows: readonly LogRow[]): ReadonlyMap<bigint, RecordedEvent> {
  const events = rows.filter(isOfRows).map((row) => toRecordedEvent(row, decodeBody));
  return new Map(events.map((event) => [event.position, event]));
}

/** Rows that no list showed come from an event of blocks. */
function isOfRows({ type }: LogRow): boolean {
  return type === 'SubmissionsObserved';
}

function findRow(event: RecordedEvent | undefined, sequence: bigint): string | undefined {
  if (event?.type !== 'SubmissionsObserved') return undefined;
  return event.body.rows[Number(sequence) - event.body.firstSequence];
}

function nameOf({ fromPosition, sequence }: LoggedRowKey): string {
  return `${fromPosition}/${sequence}`;
}
