import { formatTime, type Micros, type Nanos } from '../../domain/time.js';
import type { Database } from '../../platform/sql.js';

/** Limit of acknowledgements, and of notes, shown per incident. */
const MOST_SHOWN = 100;

/** The events that people add to an incident: each has a note and its author. */
export type NoteType = 'IncidentAcknowledged' | 'IncidentNoted';

/** An acknowledgement of an incident, or a note on it, as it is on record. */
export interface NoteRow {
  readonly by: string;
  readonly note: string;
  readonly atUs: Micros;
  readonly position: bigint;
}

export interface Notes {
  readonly rows: readonly NoteRow[];
  /** Number of all of them, including those that are not shown. */
  readonly count: number;
}

/** The stream with the acknowledgements of incidents that began with a node, and the notes on them. */
export function incidentStream(node: string): string {
  return `${node}/incidents`;
}

/** Time limits of a read. */
interface NotedBy {
  /** Position of the log, included; undefined: everything known. */
  readonly knownAt?: bigint | undefined;
  /** Exclusive end, compared with `observed_at`; undefined: all times. */
  readonly asOf?: Nanos | undefined;
}

/**
 * Reads the acknowledgements of an incident or the notes on it, oldest first, at most 100, and their total number.
 * @param node the node that the incident began with
 */
export async function readNotes(
  source: Pick<Database, 'query'>,
  type: NoteType,
  { id, node }: { readonly id: string; readonly node: string },
  { knownAt, asOf }: NotedBy,
): Promise<Notes> {
  const rows = await source.query<(NoteRow & { readonly count: number })[]>(
    `SELECT body->>'by' AS by, body->>'note' AS note, observed_at AS "atUs", position, (count(*) OVER ())::int AS count FROM event
      WHERE stream = $1::text AND type = $5::text AND body->>'incident' = $2::text
        AND position <= coalesce($3::bigint, position) AND observed_at < coalesce($4::timestamptz, 'infinity')
      ORDER BY position LIMIT ${MOST_SHOWN}`,
    [incidentStream(node), id, knownAt ?? null, asOf === undefined ? null : formatTime(asOf, 6), type],
  );
  return { rows, count: rows[0]?.count ?? 0 };
}
