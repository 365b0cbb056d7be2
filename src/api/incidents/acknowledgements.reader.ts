import type { Micros } from '../../domain/time.js';
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

/** The stream that tells who has seen incidents that began with a node. */
export function acknowledgementStream(node: string): string {
  return `${node}/incidents`;
}

/**
 * Reads who has seen an incident, the first one first.
 * @param node the incident began with it
 * @param knownAt position of the log; undefined: all that is known
 */
export function readAcknowledgements(
  source: Pick<Database, 'query'>,
  { id, node }: { readonly id: string; readonly node: string },
  knownAt?: bigint,
): Promise<AcknowledgedRow[]> {
  return source.query<AcknowledgedRow[]>(
    `SELECT body->>'by' AS by, body->>'note' AS note, observed_at AS "atUs", position FROM event
      WHERE stream = $1::text AND type = 'IncidentAcknowledged' AND body->>'incident' = $2::text
        AND position <= coalesce($3::bigint, position)
      ORDER BY position LIMIT ${MOST_SHOWN}`,
    [acknowledgementStream(node), id, knownAt ?? null],
  );
}
