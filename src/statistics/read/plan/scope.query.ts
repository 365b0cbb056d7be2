import { isTimeZone } from '../../../domain/statistics/time-buckets.js';
import { ONE_PLAN, type Query } from '../../../platform/sql.js';
import type { StatisticEntity } from '../../../tables/statistics.entities.js';
import { readZoneData } from '../../roll-up/generation.js';
import type { ReportFilter, ReportGroup } from './report-request.js';
import type { Micros } from '../../../domain/time.js';
import { Grain } from '../../roll-up/stored-rows.js';

/**
 * The node or chain whose figures are added up: rows of `statistic` and `block_statistic` have these two keys. The node key is
 * 0 for a chain's own figures, with each submission once; the chain is empty while a node has not reported it.
 */
export type FigureOwner = Readonly<Pick<StatisticEntity, 'nodeKey' | 'chain'>>;

export function nameOfOwner({ nodeKey, chain }: FigureOwner): string {
  return `${nodeKey} ${chain}`;
}

/** Everything that the names in a request refer to. */
export interface Scope {
  readonly owners: readonly FigureOwner[];
  /** Ids of the nodes that are read, by key; in a scope of chains, all nodes of these chains. */
  readonly nodes: ReadonlyMap<number, string>;
  /** Reporting zones that the settings name, by chain. */
  readonly zones: ReadonlyMap<string, string>;
  /** Whether stored days follow the zone data of this process. */
  readonly hasOwnDays: boolean;
  /** Keys of the requested namespaces; undefined for all. */
  readonly namespaceKeys: readonly number[] | undefined;
}

/** The reporting zone of a chain that the settings do not mention. */
const DEFAULT_ZONE = 'UTC';

/** The zone in which a chain's days are counted. */
export function zoneOf({ zones }: Pick<Scope, 'zones'>, chain: string): string {
  const zone = zones.get(chain);
  // As in the roll-up, a name that this engine does not know counts as no zone.
  return zone !== undefined && isTimeZone(zone) ? zone : DEFAULT_ZONE;
}

interface NamedNode extends FigureOwner {
  readonly id: string;
}

/** Finds the nodes, chains and namespaces of a report. An unknown name matches nothing. */
export async function findScope(
  query: Query,
  filter: ReportFilter,
  groupBy: readonly ReportGroup[],
): Promise<Scope> {
  const isPerNode = isGiven(filter.nodes) || groupBy.includes('NODE');
  const nodes = await query<NamedNode>(
    `${ONE_PLAN} SELECT node_key AS "nodeKey", id, coalesce(chain_id, '') AS chain FROM node
      WHERE $1::text[] IS NULL OR id = ANY ($1)`,
    [filter.nodes ?? null],
  );
  const isWanted = ({ chain }: FigureOwner): boolean => filter.chains?.includes(chain) ?? true;
  const found = isPerNode
    ? await getShown(query, nodes)
    : [...(await getChains(query)), ...(isWanted(NO_CHAIN) ? await getWithoutChain(query, nodes) : [])];
  const owners = found.filter(isWanted);
  const named = new Set(owners.map(({ nodeKey, chain }) => (isPerNode ? nodeKey : chain)));
  const looked = nodes.filter(({ nodeKey, chain }) => named.has(isPerNode ? nodeKey : chain));
  const zoneData = await readZoneData(query);
  return {
    owners,
    hasOwnDays: zoneData.stored === zoneData.ours,
    nodes: new Map(looked.map(({ nodeKey, id }) => [nodeKey, id])),
    zones: await getZones(query),
    namespaceKeys: await getNamespaceKeys(query, filter.namespaces),
  };
}

/**
 * Nodes with every chain under which they have figures, and with the chain that they report now. A node can have several
 * chains: it had not reported its chain at first, or it was set up again for another chain.
 */
function getShown(query: Query, nodes: readonly NamedNode[]): Promise<FigureOwner[]> {
  return query<FigureOwner>(
    `WITH RECURSIVE shown (node_key, chain) AS (
       SELECT given.node_key, ${leastChain('true')} FROM unnest($1::int[]) AS given (node_key)
       UNION ALL
       SELECT given.node_key, ${leastChain('s.chain > given.chain')} FROM shown AS given WHERE given.chain IS NOT NULL
     )
     SELECT node_key AS "nodeKey", chain FROM shown WHERE chain IS NOT NULL
     UNION
     SELECT * FROM unnest($1::int[], $2::text[])
     ORDER BY "nodeKey", chain`,
    [nodes.map(({ nodeKey }) => nodeKey), nodes.map(({ chain }) => chain)],
  );
}

/** SQL: the first chain of a node in either table, by one probe of each index. */
function leastChain(condition: string): string {
  const from = (table: string): string =>
    `(SELECT min(s.chain) FROM ${table} s WHERE s.node_key = given.node_key AND ${condition})`;
  return `least(${from('statistic')}, ${from('block_statistic')})`;
}

const NO_CHAIN: FigureOwner = { nodeKey: 0, chain: '' };

/** Nodes that have not reported their chain, or had not when some of what they showed was recorded. */
function getWithoutChain(query: Query, nodes: readonly NamedNode[]): Promise<FigureOwner[]> {
  return query<FigureOwner>(
    `${ONE_PLAN} SELECT node_key AS "nodeKey", '' AS chain FROM unnest($1::int[], $2::text[]) AS given (node_key, chain)
      WHERE chain = '' OR EXISTS (SELECT FROM statistic s WHERE s.node_key = given.node_key AND s.chain = '')
      ORDER BY node_key`,
    [nodes.map(({ nodeKey }) => nodeKey), nodes.map(({ chain }) => chain)],
  );
}

function getChains(query: Query): Promise<FigureOwner[]> {
  return query<FigureOwner>(
    `SELECT 0 AS "nodeKey", chain_id AS chain
       FROM (SELECT chain_id FROM lineage UNION SELECT chain_id FROM node_chain
             UNION SELECT chain_id FROM node WHERE chain_id IS NOT NULL) AS known
      ORDER BY chain_id`,
  );
}

/** Reporting zones that the settings name, by chain. */
export async function getZones(query: Query): Promise<ReadonlyMap<string, string>> {
  const rows = await query<{ chain: string; zone: string }>(
    'SELECT chain, reporting_time_zone AS zone FROM chain_setting',
  );
  return new Map(rows.map(({ chain, zone }) => [chain, zone]));
}

async function getNamespaceKeys(
  query: Query,
  namespaces: ReportFilter['namespaces'],
): Promise<number[] | undefined> {
  if (!isGiven(namespaces)) return undefined;
  const texts = namespaces.map((text) => text.toLowerCase().replace(/^0x/, ''));
  const rows = await query<{ key: number }>(
    'SELECT namespace_key AS key FROM namespace WHERE namespace = ANY ($1::text[])',
    [texts],
  );
  return rows.map(({ key }) => key);
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** From the first to the last moment for which something is known, both inclusive. */
export interface Extent {
  readonly fromUs: Micros;
  readonly lastUs: Micros;
}

/**
 * The time that a report covers if no time was requested. It is from the first to the last quarter hour with submissions, and
 * the time in which the lists were monitored. Blocks alone do not extend it, because their proposer chooses their times.
 * Nothing reaches beyond now.
 *
 * @param withBlocks whether blocks extend it nevertheless, for a report whose time is known
 */
export async function getExtent(
  query: Query,
  scope: Scope,
  nowUs: Micros,
  withBlocks = false,
): Promise<Extent | undefined> {
  const tables = ['statistic', ...(withBlocks ? ['block_statistic'] : [])];
  const ofTables = tables.map(
    (table) => `
             SELECT min(s.bucket_at) AS first, max(s.bucket_at) AS last FROM ${table} s
              WHERE s.node_key = owner.node_key AND s.chain = owner.chain AND s.grain = ${Grain.QUARTER}`,
  );
  const rows = await query<{ first: Micros | null; last: Micros | null }>(
    `SELECT min(found.first) AS first, max(found.last) AS last
       FROM (
         SELECT stored.first, stored.last
           FROM unnest($1::int[], $2::text[]) AS owner (node_key, chain)
           CROSS JOIN LATERAL (${ofTables.join(' UNION ALL ')}
           ) AS stored
         UNION ALL
         SELECT min(c.from_at), max(c.to_at) - interval '1 microsecond' FROM coverage_interval c
          WHERE c.node = ANY ($3::text[]) AND c.from_at < c.to_at
       ) AS found`,
    [
      scope.owners.map(({ nodeKey }) => nodeKey),
      scope.owners.map(({ chain }) => chain),
      [...scope.nodes.values()],
    ],
  );
  const { first = null, last = null } = rows[0] ?? {};
  if (first === null || last === null || first > nowUs) return undefined;
  return { fromUs: first, lastUs: last > nowUs ? nowUs : last };
}
