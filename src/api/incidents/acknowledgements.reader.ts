import { formatTime, type Micros, type Nanos } from '../../domain/time.js';
import type { Database } from '../../platform/sql.js';

/** Limit of acknowledgements shown per incident. */
const MOST_SHOWN = 100;

/** An acknowledgement of an incident, as it is on record. */
export interface AcknowledgedRow {
  readonly by: string;
  readonly note: string;
  readonly atUs: Micros;
  readonly position: bigint;
}

interface Acknowledged {
  readonly rows: AcknowledgedRow[];
  /** Number of all acknowledgements, including those that are not shown. */
  readonly count: number;
}

/** The stream with the acknowledgements of incidents that began with a node. */
export function acknowledgementStream(node: string): string {
  return `${node}/incidents`;
}

/** Time limits of a read. */
interface AcknowledgedBy {
  /** Position of the log, included; undefined: everything known. */
  readonly knownAt?: bigint | undefined;
  /** Exclusive end, compared with `observed_at`; undefined: all times. */
  readonly asOf?: Nanos | undefined;
}

/**
 * Reads the acknowledgements of an incident, oldest first, at most 100, and their total number.
 * @param node the node that the incident began with
 */
export async function readAcknowledgements(
  source: Pick<Database, 'query'>,
  { id, node }: { readonly id: string; readonly node: string },
  { knownAt, asOf }: AcknowledgedBy,
): Promise<Acknowledged> {
  const rows = await source.query<(AcknowledgedRow & { readonly count: number })[]>(
    `SELECT body->>'by' AS by, body->>'note' AS note, observed_at AS "atUs", position, (count(*) OVER ())::int AS count FROM event
      WHERE stream = $1::text AND type = 'IncidentAcknowledged' AND body->>'incident' = $2::text
        AND position <= coalesce($3::bigint, position) AND observed_at < coalesce($4::timestamptz, 'infinity')
      ORDER BY position LIMIT ${MOST_SHOWN}`,
    [acknowledgementStream(node), id, knownAt ?? null, asOf === undefined ? null : formatTime(asOf, 6)],
  );
  return { rows, count: rows[0]?.count ?? 0 };
}
