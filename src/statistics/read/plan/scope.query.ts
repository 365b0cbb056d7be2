import { isTimeZone } from '../../../domain/statistics/time-buckets.js';
import type { Query } from '../../../platform/sql.js';
import type { ReportFilter, ReportGroup } from './report-request.js';

/** Whose figures are added up: rows of `statistic` and `block_statistic` bear these two keys. */
export interface Subject {
  /** 0: the chain's own figures, each submission once. */
  readonly nodeKey: number;
  /** Empty while a node has not said its chain. */
  readonly chain: string;
}

/** Everything that the names in a request stand for. */
export interface Scope {
  readonly subjects: readonly Subject[];
  /** Whether figures are what nodes showed; else each submission of a chain counts once. */
  readonly isPerNode: boolean;
  /** Nodes that are looked at, as ids by key: in a scope of chains all of these chains. */
  readonly nodes: ReadonlyMap<number, string>;
  /** Reporting zones that the settings name, by chain. */
  readonly zones: ReadonlyMap<string, string>;
  /** Keys of the wanted namespaces; undefined: all. */
  readonly namespaceKeys: readonly number[] | undefined;
}

/** The reporting zone of a chain of which the settings say nothing. */
const DEFAULT_ZONE = 'UTC';

/** The zone in which a chain's days are counted. */
export function zoneOf(scope: Scope, chain: string): string {
  const zone = scope.zones.get(chain);
  // As in the roll-up: a name that this engine does not know stands for no zone.
  return zone !== undefined && isTimeZone(zone) ? zone : DEFAULT_ZONE;
}

interface NodeRow {
  readonly node_key: number;
  readonly id: string;
  readonly chain: string;
}

/** Finds what a report is about. A name that nothing bears stands for nothing. */
export async function findScope(
  query: Query,
  filter: ReportFilter,
  groupBy: readonly ReportGroup[],
): Promise<Scope> {
  const isPerNode = isGiven(filter.nodes) || groupBy.includes('NODE');
  const nodes = await query<NodeRow>(
    `SELECT node_key, id, coalesce(chain_id, '') AS chain FROM node WHERE $1::text[] IS NULL OR id = ANY ($1)`,
    [filter.nodes ?? null],
  );
  const isWanted = ({ chain }: Subject): boolean => filter.chains?.includes(chain) ?? true;
  const subjects = isPerNode
    ? await getShown(query, nodes)
    : [...(await getChains(query)), ...(isWanted(NO_CHAIN) ? await getWithoutChain(query, nodes) : [])];
  const wanted = subjects.filter(isWanted);
  const chains = new Set(wanted.map(({ chain }) => chain));
  const looked = nodes.filter(({ chain }) => chains.has(chain));
  const ofSubjects = new Set(wanted.map(({ nodeKey }) => nodeKey));
  return {
    subjects: wanted,
    isPerNode,
    nodes: new Map(
      (isPerNode ? nodes.filter(({ node_key }) => ofSubjects.has(node_key)) : looked).map((node) => [
        node.node_key,
        node.id,
      ]),
    ),
    zones: await getZones(query),
    namespaceKeys: await getNamespaceKeys(query, filter.namespaces),
  };
}

/**
 * Nodes with every chain under which they have figures, and with the chain they say now. A node can have several: it
 * had not said its chain at first, or it was set up anew for another one.
 */
async function getShown(query: Query, nodes: readonly NodeRow[]): Promise<Subject[]> {
  const rows = await query<{ node_key: number; chain: string }>(
    `WITH RECURSIVE shown (node_key, chain) AS (
       SELECT given.node_key, ${leastChain('true')} FROM unnest($1::int[]) AS given (node_key)
       UNION ALL
       SELECT given.node_key, ${leastChain('s.chain > given.chain')} FROM shown AS given WHERE given.chain IS NOT NULL
     )
     SELECT node_key, chain FROM shown WHERE chain IS NOT NULL
     UNION
     SELECT * FROM unnest($1::int[], $2::text[])
     ORDER BY node_key, chain`,
    [nodes.map(({ node_key }) => node_key), nodes.map(({ chain }) => chain)],
  );
  return rows.map(({ node_key, chain }) => ({ nodeKey: node_key, chain }));
}

/** SQL: the first chain of a node in either table, by one probe of each index. */
function leastChain(condition: string): string {
  const from = (table: string): string =>
    `(SELECT min(s.chain) FROM ${table} s WHERE s.node_key = given.node_key AND ${condition})`;
  return `least(${from('statistic')}, ${from('block_statistic')})`;
}

const NO_CHAIN: Subject = { nodeKey: 0, chain: '' };

/** Nodes that have not said their chain, or had not when some of what they showed was recorded. */
async function getWithoutChain(query: Query, nodes: readonly NodeRow[]): Promise<Subject[]> {
  const rows = await query<{ node_key: number }>(
    `SELECT node_key FROM unnest($1::int[], $2::text[]) AS given (node_key, chain)
      WHERE chain = '' OR EXISTS (SELECT FROM statistic s WHERE s.node_key = given.node_key AND s.chain = '')
      ORDER BY node_key`,
    [nodes.map(({ node_key }) => node_key), nodes.map(({ chain }) => chain)],
  );
  return rows.map(({ node_key }) => ({ nodeKey: node_key, chain: '' }));
}

async function getChains(query: Query): Promise<Subject[]> {
  const rows = await query<{ chain: string }>(
    'SELECT chain_id AS chain FROM lineage UNION SELECT chain_id FROM node WHERE chain_id IS NOT NULL ORDER BY chain',
  );
  return rows.map(({ chain }) => ({ nodeKey: 0, chain }));
}

async function getZones(query: Query): Promise<ReadonlyMap<string, string>> {
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
  const rows = await query<{ namespace_key: number }>(
    'SELECT namespace_key FROM namespace WHERE namespace = ANY ($1::text[])',
    [texts],
  );
  return rows.map((row) => row.namespace_key);
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
