import { closestMatch } from 'leven';
import { formatTime, microsToNanos } from '../../domain/time.js';
import { UserError } from '../../platform/errors.js';
import type { Database } from '../../platform/sql.js';
import { readExclusions } from '../../projections/exclusions.js';

/** Names that a sentence lists if no name is similar. */
const MOST_NAMES = 20;
/** Names that are compared with the unknown name. */
const MOST_COMPARED = 1_000;
/** Characters of an unknown name that are repeated and compared. */
const LONGEST_NAME = 60;

/** Includes the log: a name is known as soon as it is configured, before the read models have it. */
const KNOWN = {
  node: `SELECT id FROM node UNION ALL SELECT left(stream, -5) FROM stream_head WHERE stream LIKE '%/node'`,
  chain: `SELECT chain_id AS id FROM lineage UNION ALL SELECT chain_id FROM node_chain
    UNION ALL SELECT chain_id FROM node WHERE chain_id IS NOT NULL UNION ALL SELECT chain FROM chain_setting
    UNION ALL SELECT left(stream, -6) FROM stream_head WHERE stream LIKE '%/chain'`,
} as const;

export interface RequestedNames {
  readonly nodes?: readonly string[] | null | undefined;
  readonly chains?: readonly string[] | null | undefined;
}

/** A node or chain that was never configured and never recorded. The command line ends with code 2. */
export class UnknownName extends UserError {
  constructor(message: string, remedy: string) {
    super(message, remedy, 2);
  }
}

/** Every node and every chain that was configured or recorded. */
export async function readKnownNames(
  source: Pick<Database, 'query'>,
): Promise<Record<keyof typeof KNOWN, string[]>> {
  const read = async (what: keyof typeof KNOWN): Promise<string[]> => {
    const rows = await source.query<{ id: string }[]>(
      `SELECT DISTINCT id FROM (${KNOWN[what]}) known ORDER BY id`,
    );
    return rows.map(({ id }) => id);
  };
  return { node: await read('node'), chain: await read('chain') };
}

/**
 * Distinguishes a typing error from an empty answer. A name is known once it was recorded, or the settings named it.
 * @param log whether the question is about the log, which keeps the events of excluded nodes
 * @throws UnknownName for the first unknown name, with a similar known name, and for an excluded node
 */
export async function requireKnownNames(
  source: Pick<Database, 'query'>,
  { nodes, chains }: RequestedNames,
  { log = false }: { readonly log?: boolean } = {},
): Promise<void> {
  await requireKnown(source, 'node', nodes ?? []);
  if (!log && nodes && nodes.length > 0) await refuseExcluded(source, nodes);
  // The empty chain belongs to nodes that have not reported their chain.
  await requireKnown(source, 'chain', chains?.filter((name) => name !== '') ?? []);
}

/** An empty answer would look like a healthy node. */
async function refuseExcluded(source: Pick<Database, 'query'>, nodes: readonly string[]): Promise<void> {
  const [excluded] = await readExclusions(source, nodes);
  if (excluded === undefined) return;
  const { node, at, why } = excluded;
  throw new UnknownName(
    `${node} is excluded since ${formatTime(microsToNanos(at), 0)}: ${why}.`,
    'Its events are in the log; `hindsight nodes include` undoes the order.',
  );
}

async function requireKnown(
  source: Pick<Database, 'query'>,
  what: keyof typeof KNOWN,
  asked: readonly string[],
): Promise<void> {
  if (asked.length === 0) return;
  const [unknown] = await source.query<{ id: string }[]>(
    `SELECT id FROM unnest($1::text[]) WITH ORDINALITY AS asked (id, place)
      WHERE NOT EXISTS (SELECT FROM (${KNOWN[what]}) AS known WHERE known.id = asked.id) ORDER BY place LIMIT 1`,
    [asked],
  );
  if (unknown === undefined) return;
  const known = await source.query<{ id: string }[]>(
    `SELECT DISTINCT id FROM (${KNOWN[what]}) AS known ORDER BY id LIMIT ${MOST_COMPARED}`,
  );
  const names = known.map(({ id }) => id);
  throw new UnknownName(
    `There is no ${what} ${JSON.stringify(unknown.id.slice(0, LONGEST_NAME))}.`,
    suggest(what, unknown.id, names),
  );
}

function suggest(what: string, wrong: string, known: readonly string[]): string {
  if (known.length === 0) return `No ${what} is known yet: add its node to the settings, and start.`;
  // Two swapped letters count as two changes.
  const maxDistance = wrong.length < 3 ? 1 : Math.max(2, Math.min(Math.floor(wrong.length / 3), 3));
  const nearest = closestMatch(wrong.slice(0, LONGEST_NAME), known, { maxDistance });
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  const others = known.length > MOST_NAMES ? ` and ${known.length - MOST_NAMES} more` : '';
  return `Known ${what}s: ${known.slice(0, MOST_NAMES).join(', ')}${others}.`;
}
