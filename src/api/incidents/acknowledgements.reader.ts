import { formatTime, type Micros, type Nanos } from '../../domain/time.js';
import type { Database } from '../../platform/sql.js';

/** Readers are shown so many of an incident at most. */
const MOST_SHOWN = 100;

/** That somebody has seen an incident, as it is on record. */
export interface AcknowledgedRow {
  readonly by: string;
  readonly note: string;
  readonly atUs: Micros;
  readonly position: bigint;
}

/** Those of an incident, of which a part is shown. */
interface Acknowledged {
  readonly rows: AcknowledgedRow[];
  /** How many there are in all. */
  readonly count: number;
}

/** The stream that tells who has seen incidents that began with a node. */
export function acknowledgementStream(node: string): string {
  return `${node}/incidents`;
}

/** Up to when an incident is asked about. */
interface AcknowledgedBy {
  /** Position of the log; undefined: all that is known. */
  readonly knownAt?: bigint | undefined;
  /** By our clock, excluded; undefined: all times. */
  readonly asOf?: Nanos | undefined;
}

/**
 * Reads who has seen an incident, the first one first; 100 at most, and how many there are.
 * @param node the incident began with it
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
