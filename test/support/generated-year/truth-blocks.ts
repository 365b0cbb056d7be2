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
  const rows = await dataSource.query<Record<string, bigint | string | number | null>[]>(
    `SELECT b.*, l.chain_id, l.n FROM block b JOIN lineage l USING (lineage_key) ORDER BY l.n, b.height, b.node_key`,
  );
  return rows.map((row) => {
    const integer = (name: string): bigint | null =>
      row[name] === null ? null : BigInt(row[name] as bigint | number);
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

/** Each block of a lineage once; it is included if any node says so. */
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

/** @param made blocks whose time is in a bucket */
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

/** The data for the progress of a node or a chain. Times are Unix microseconds, as numbers because they are faster to scan. */
export interface TrueLine {
  readonly blocks: readonly TrueBlock[];
  readonly made: readonly {
    readonly lineageKey: number;
    readonly n: number;
    readonly height: number;
    readonly at: number;
    readonly hasData: boolean;
  }[];
  /** Blocks whose header or data a submission carried, at its time. */
  readonly carried: readonly {
    readonly lineageKey: number;
    readonly kind: 'HEADER' | 'DATA';
    readonly height: number;
    readonly at: number;
  }[];
}

export function toTrueLine(blocks: readonly TrueBlock[], rows: readonly TrueRow[]): TrueLine {
  const made = blocks.map(({ lineageKey, n, height, timeNs, txCount }) => {
    return { lineageKey, n, height: Number(height), at: Number(timeNs / 1000n), hasData: txCount > 0n };
  });
  const carried: TrueLine['carried'][number][] = [];
  for (const row of rows.filter(isSubmission)) {
    const { lineageKey, timeUs } = row;
    if (lineageKey === null) continue;
    for (const kind of ['HEADER', 'DATA'] as const) {
      const heights = row.carried
        ? row.carried.filter((blob) => blob.kind === kind).map(({ height }) => height)
        : atItsDaHeight(row, blocks, kind);
      for (const height of heights)
        carried.push({ lineageKey, kind, height: Number(height), at: Number(timeUs) });
    }
  }
  return { blocks, made, carried };
}

const UNKNOWN: Figures = { pendingAtEnd: null, inclusionFrontierAtEnd: null };

/**
 * The progress of the newest lineage at a moment, as known now. Its head follows from the times of blocks, its frontiers from the
 * times of the submissions that carried them. Blocks without transactions have no data that could be missing.
 */
export function endFigures({ made, carried }: TrueLine, endUs: bigint): Figures {
  const end = Number(endUs);
  let newest: TrueLine['made'][number] | undefined;
  for (const block of made) if (block.at < end && (!newest || block.n > newest.n)) newest = block;
  if (!newest) return UNKNOWN;
  const { lineageKey } = newest;
  let head = -1;
  for (const block of made) {
    if (block.lineageKey === lineageKey && block.at < end && block.height > head) head = block.height;
  }
  const reached = { HEADER: -1, DATA: -1 };
  for (const each of carried) {
    const isBefore = each.lineageKey === lineageKey && each.at < end;
    if (isBefore && each.height > reached[each.kind]) reached[each.kind] = each.height;
  }
  if (reached.HEADER === -1) return UNKNOWN;
  let missing = head + 1;
  for (const block of made) {
    const isOpen = block.lineageKey === lineageKey && block.hasData && block.height > reached.DATA;
    if (isOpen && block.height < missing) missing = block.height;
  }
  const frontier = Math.min(reached.HEADER, missing - 1, head);
  return { pendingAtEnd: String(head - frontier), inclusionFrontierAtEnd: String(frontier) };
}

/** If its blocks are unknown: all blocks at its DA height. */
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
