import type { Database } from '../../platform/sql.js';
import { ApiError } from '../errors.js';
import { suggest } from '../export/parameters.js';

/** Names that a sentence lists where none comes near. */
const MOST_NAMES = 20;

/** Streams of the log too: a node that has just been set up is known before it is in the read model. */
const NODES = `SELECT id FROM node UNION SELECT split_part(stream, '/', 1) FROM stream_head WHERE stream LIKE '%/node'`;
const CHAINS = `SELECT chain_id AS id FROM lineage UNION SELECT chain_id FROM node_chain
  UNION SELECT chain_id FROM node WHERE chain_id IS NOT NULL UNION SELECT chain FROM chain_setting`;

/** What a question is about: all nodes and chains where it names none. */
export interface AskedNames {
  readonly nodes?: readonly string[] | null | undefined;
  readonly chains?: readonly string[] | null | undefined;
}

/**
 * Tells a typing error from an empty answer. A name is known once it was recorded, or the settings of a chain named it.
 * @throws ApiError NOT_FOUND for the first name that is neither, with the one that comes near
 */
export async function requireKnownNames(source: Database, { nodes, chains }: AskedNames): Promise<void> {
  await requireKnown(source, 'node', NODES, nodes ?? []);
  await requireKnown(source, 'chain', CHAINS, chains ?? []);
}

async function requireKnown(
  source: Database,
  what: 'node' | 'chain',
  known: string,
  asked: readonly string[],
): Promise<void> {
  // The empty chain is that of nodes which have not said theirs.
  const names = what === 'chain' ? asked.filter((name) => name !== '') : asked;
  if (names.length === 0) return;
  const [unknown] = await source.query<{ id: string }[]>(
    `SELECT id FROM unnest($1::text[]) WITH ORDINALITY AS asked (id, place)
      WHERE id NOT IN (SELECT id FROM (${known}) AS known) ORDER BY place LIMIT 1`,
    [names],
  );
  if (unknown === undefined) return;
  const all = await source.query<{ id: string }[]>(
    `SELECT id FROM (${known}) AS known ORDER BY id LIMIT 1000`,
  );
  throw new ApiError(
    'NOT_FOUND',
    sentenceOf(
      what,
      unknown.id,
      all.map(({ id }) => id),
    ),
  );
}

function sentenceOf(what: string, name: string, known: readonly string[]): string {
  const start = `There is no ${what} ${JSON.stringify(name.slice(0, 100))}`;
  if (known.length === 0) return `${start}; none is recorded yet.`;
  const end = suggest(name, known);
  const isLong = known.length > MOST_NAMES && !end.startsWith('; did you mean');
  return `${start}${isLong ? suggest(name, [...known.slice(0, MOST_NAMES), '…']) : end}`;
}
