import { canonicalText, joinTold, type Span, type Told } from './hold-against-truth.js';

/** Runs a GraphQL query on a service; rejects when the answer has errors. */
export type Ask = <Data>(query: string, variables?: Record<string, unknown>) => Promise<Data>;

interface Page<Row> {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

interface LossRow {
  readonly kind: string;
  readonly from: string | null;
  readonly to: string;
  readonly open?: boolean;
}

/** A gap as reported. */
interface ToldHole extends Span {
  readonly kind: string;
}

/** The reports about a node. */
export interface NodeTold extends Told {
  readonly holes: readonly ToldHole[];
}

/** The reports about a chain: about each of its nodes by id, and about all together. */
export interface ChainTold {
  readonly nodes: ReadonlyMap<string, NodeTold>;
  readonly together: Told;
}

/** Reads a service's reports about a chain and its nodes, as any client can. */
export async function readTold(ask: Ask, chain: string, ids: readonly string[]): Promise<ChainTold> {
  const nodes = new Map<string, NodeTold>();
  for (const id of ids) nodes.set(id, await readNode(ask, id));
  const covered = await readCoverage(ask, 'chain', chain);
  return { nodes, together: joinTold([...nodes.values()], covered) };
}

async function readNode(ask: Ask, id: string): Promise<NodeTold> {
  const rows = await readAll<{ raw: unknown }>(
    ask,
    `query ($id: ID!, $after: String) { submissions(filter: { nodes: [$id] }, order: OBSERVED_ASC, first: 500, after: $after) {
      nodes { raw } pageInfo { hasNextPage endCursor } } }`,
    id,
  );
  const losses = await readAll<LossRow>(
    ask,
    `query ($id: ID!, $after: String) { losses(filter: { nodes: [$id] }, first: 500, after: $after) {
      nodes { kind from to open } pageInfo { hasNextPage endCursor } } }`,
    id,
  );
  return {
    rows: rows.map(({ raw }) => canonicalText(raw)),
    holes: losses.map(({ kind, from, to, open }) => ({
      kind,
      from: from === null ? -Infinity : Date.parse(from),
      to: open ? Infinity : Date.parse(to),
    })),
    covered: await readCoverage(ask, 'node', id),
  };
}

async function readCoverage(ask: Ask, unit: 'node' | 'chain', id: string): Promise<readonly Span[]> {
  const { coverage } = await ask<{ coverage: readonly { from: string; to: string }[] }>(
    `{ coverage(${unit}: ${JSON.stringify(id)}) { from to } }`,
  );
  return coverage.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }));
}

async function readAll<Row>(ask: Ask, query: string, id: string): Promise<Row[]> {
  const rows: Row[] = [];
  let after: string | null = null;
  do {
    const data: Record<string, Page<Row>> = await ask(query, { id, after });
    const [page] = Object.values(data);
    rows.push(...(page?.nodes ?? []));
    after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  return rows;
}
