import type { DataSource } from 'typeorm';
import { isSubmission } from './truth-cost.js';
import type { Figures } from './truth-figures.js';
import type { TrueRow } from './truth-rows.js';

/** A block as a node showed it. */
export interface TrueBlock {
  readonly nodeKey: number;
  readonly chain: string;
  readonly lineageKey: number;
  readonly n: number;
  readonly height: bigint;
  readonly timeNs: bigint;
  readonly txCount: bigint;
  readonly txBytes: bigint;
  readonly headerDa: bigint | null;
  readonly dataDa: bigint | null;
}

export async function loadTrueBlocks(dataSource: DataSource): Promise<TrueBlock[]> {
  const rows = await dataSource.query<Record<string, string | number | null>[]>(
    `SELECT b.*, l.chain_id, l.n FROM block b JOIN lineage l USING (lineage_key) ORDER BY l.n, b.height, b.node_key`,
  );
  return rows.map((row) => {
    const integer = (name: string): bigint | null =>
      row[name] === null ? null : BigInt(row[name] as string);
    return {
      nodeKey: row['node_key'] as number,
      chain: row['chain_id'] as string,
      lineageKey: row['lineage_key'] as number,
      n: row['n'] as number,
      height: integer('height') ?? 0n,
      timeNs: integer('time_ns') ?? 0n,
      txCount: integer('tx_count') ?? 0n,
      txBytes: integer('tx_bytes') ?? 0n,
      headerDa: integer('header_da_height'),
      dataDa: integer('data_da_height'),
    };
  });
}

/** Each block of a lineage once; it is included where any node says so. */
export function blocksOnce(blocks: readonly TrueBlock[]): TrueBlock[] {
  const once = new Map<string, TrueBlock>();
  for (const block of blocks) {
    const name = `${block.lineageKey} ${block.height}`;
    const known = once.get(name);
    if (!known || (!isIncluded(known) && isIncluded(block))) once.set(name, block);
  }
  return [...once.values()];
}

function isIncluded({ headerDa, dataDa, txCount }: TrueBlock): boolean {
  return headerDa !== null && (txCount === 0n || dataDa !== null);
}

/** @param made blocks whose time lies in a bucket */
export function blockFigures(made: readonly TrueBlock[]): Figures {
  const included = made.filter(isIncluded);
  const sum = (of: readonly TrueBlock[], name: 'txCount' | 'txBytes'): string =>
    String(of.reduce((total, block) => total + block[name], 0n));
  return {
    blocksProduced: String(made.length),
    blocksIncluded: String(included.length),
    transactions: sum(made, 'txCount'),
    transactionsIncluded: sum(included, 'txCount'),
    transactionBytes: sum(made, 'txBytes'),
    transactionBytesIncluded: sum(included, 'txBytes'),
  };
}

/** What tells how far a node or a chain had come. */
export interface TrueLine {
  readonly blocks: readonly TrueBlock[];
  /** Blocks whose header or data a submission carried. */
  readonly carried: readonly CarriedBlock[];
}

interface CarriedBlock {
  readonly lineageKey: number;
  readonly kind: 'HEADER' | 'DATA';
  readonly height: bigint;
  /** Time of the submission. */
  readonly timeUs: bigint;
}

export function toTrueLine(blocks: readonly TrueBlock[], rows: readonly TrueRow[]): TrueLine {
  const carried: CarriedBlock[] = [];
  for (const row of rows.filter(isSubmission)) {
    const { lineageKey, timeUs } = row;
    if (lineageKey === null) continue;
    for (const kind of ['HEADER', 'DATA'] as const) {
      const heights = row.carried
        ? row.carried.filter((blob) => blob.kind === kind).map(({ height }) => height)
        : atItsDaHeight(row, blocks, kind);
      for (const height of heights) carried.push({ lineageKey, kind, height, timeUs });
    }
  }
  return { blocks, carried };
}

/**
 * How far the newest lineage had come at a moment: its head by the times of blocks; its frontiers by the times of the
 * submissions that carried them, as is known now. Blocks without transactions have no data that could be missing.
 */
export function endFigures({ blocks, carried }: TrueLine, endUs: bigint): Figures {
  let newest: TrueBlock | undefined;
  for (const block of blocks) {
    const isBefore = block.timeNs < endUs * 1000n;
    if (isBefore && (!newest || block.n > newest.n)) newest = block;
  }
  if (!newest) return { pendingAtEnd: null, inclusionFrontierAtEnd: null };
  const { lineageKey } = newest;
  let head = 0n;
  for (const block of blocks) {
    const isBefore = block.lineageKey === lineageKey && block.timeNs < endUs * 1000n;
    if (isBefore && block.height > head) head = block.height;
  }
  const reached: Record<'HEADER' | 'DATA', bigint | null> = { HEADER: null, DATA: null };
  for (const { kind, height, timeUs, ...of } of carried) {
    const isBefore = of.lineageKey === lineageKey && timeUs < endUs;
    if (isBefore && height > (reached[kind] ?? -1n)) reached[kind] = height;
  }
  if (reached.HEADER === null) return { pendingAtEnd: null, inclusionFrontierAtEnd: null };
  let missing = head + 1n;
  for (const { height, txCount, ...of } of blocks) {
    const isOpen = of.lineageKey === lineageKey && txCount > 0n && height > (reached.DATA ?? -1n);
    if (isOpen && height < missing) missing = height;
  }
  const frontier = [reached.HEADER, missing - 1n, head].reduce((a, b) => (b < a ? b : a));
  return { pendingAtEnd: String(head - frontier), inclusionFrontierAtEnd: String(frontier) };
}

/** Without knowing its blocks: all that are where it says it is. */
function atItsDaHeight(row: TrueRow, line: readonly TrueBlock[], kind: 'HEADER' | 'DATA'): bigint[] {
  const mayBe = row.kind === kind || row.kind === 'MIXED';
  if (row.evidence === 'UNREFERENCED' || row.daHeight === null || !mayBe) return [];
  return line
    .filter(({ lineageKey }) => lineageKey === row.lineageKey)
    .filter(({ headerDa, dataDa, txCount }) =>
      kind === 'HEADER' ? headerDa === row.daHeight : txCount > 0n && dataDa === row.daHeight,
    )
    .map(({ height }) => height);
}
