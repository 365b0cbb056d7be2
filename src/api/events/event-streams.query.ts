import { eventsOn } from '../../domain/event-shape.js';
import { STREAM_KINDS } from '../../domain/events.js';
import type { Database } from '../../platform/sql.js';

/** Selects streams of the log. A member that is left out does not restrict anything. */
interface StreamFilter {
  readonly streams?: readonly string[] | null | undefined;
  readonly nodes?: readonly string[] | null | undefined;
  readonly chains?: readonly string[] | null | undefined;
  readonly types?: readonly string[] | null | undefined;
}

/** Names of the streams that can hold the requested events; undefined for all. */
export async function findStreams(
  source: Pick<Database, 'query'>,
  { streams, nodes, chains, types }: StreamFilter,
): Promise<readonly string[] | undefined> {
  if (!nodes && !chains) return streams ?? undefined;
  const owners = chains
    ? await source.query<{ owner: string; isChain: boolean }[]>(
        `SELECT id AS owner, false AS "isChain" FROM node
          WHERE ($1::text[] IS NULL OR id = ANY ($1)) AND chain_id = ANY ($2)
         UNION ALL
         SELECT chain, true FROM unnest($2::text[]) AS chain WHERE $1::text[] IS NULL`,
        [nodes ?? null, chains],
      )
    : // Not from the read model: it may be late, and excluded nodes are not in it.
      (nodes ?? []).map((owner) => ({ owner, isChain: false }));
  const named = owners.flatMap(({ owner, isChain }) =>
    kindsOf(isChain, types ?? undefined).map((kind) => `${owner}/${kind}`),
  );
  return streams ? named.filter((stream) => streams.includes(stream)) : named;
}

/** Kinds of streams that a chain (or a node) has and that can hold events of these types. */
function kindsOf(isChain: boolean, types: readonly string[] | undefined): string[] {
  return STREAM_KINDS.filter((kind) => {
    const isOfOwner = isChain === (kind === 'chain' || kind === 'operator');
    const known: readonly string[] = eventsOn(kind);
    return isOfOwner && (types === undefined || types.some((type) => known.includes(type)));
  });
}
