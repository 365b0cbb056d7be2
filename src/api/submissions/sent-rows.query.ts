import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { decodeSubmissionRow, type SubmissionRow } from '../../domain/submission-row.js';
import { decodeBody } from '../../event-log/event-codec.js';
import { SELECT_EVENT, toRecordedEvent, type LogRow } from '../../event-log/log-row.js';

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

/** Events that are held in memory at once: one can hold a hundred rows of megabytes. */
const EVENTS_AT_ONCE = 25;

/** Reads rows of lists, as sent, from the log. */
@Injectable()
export class SentRowsQuery {
  constructor(private readonly dataSource: DataSource) {}

  /** One for each place, in their order; undefined where the log has no such row. */
  async getSentRows(places: readonly RowPlace[]): Promise<(SentRow | undefined)[]> {
    const positions = [...new Set(places.map((place) => place.fromPosition))];
    const found = new Map<string, SentRow>();
    for (let at = 0; at < positions.length; at += EVENTS_AT_ONCE) {
      const batch = new Set(positions.slice(at, at + EVENTS_AT_ONCE));
      const wanted = places.filter((place) => batch.has(place.fromPosition));
      await this.readRows([...batch], wanted, found);
    }
    return places.map((place) => found.get(nameOf(place)));
  }

  private async readRows(
    positions: readonly bigint[],
    places: readonly RowPlace[],
    found: Map<string, SentRow>,
  ): Promise<void> {
    const rows = await this.dataSource.query<LogRow[]>(
      `${SELECT_EVENT} WHERE position = ANY ($1::bigint[]) AND type = 'SubmissionsObserved'`,
      [positions],
    );
    const bodies = new Map(
      rows.map((row) => toRecordedEvent(row, decodeBody)).map((event) => [event.position, event] as const),
    );
    for (const place of places) {
      const event = bodies.get(place.fromPosition);
      if (event?.type !== 'SubmissionsObserved') continue;
      const text = event.body.rows[Number(place.sequence) - event.body.firstSequence];
      if (text !== undefined) found.set(nameOf(place), { text, row: decodeSubmissionRow(text) });
    }
  }
}

function nameOf({ fromPosition, sequence }: RowPlace): string {
  return `${fromPosition}/${sequence}`;
}
