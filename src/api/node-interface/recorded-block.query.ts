import { Inject, Injectable } from '@nestjs/common';
import type { BlockRecord } from '../../domain/blocks/block.js';
import { signedHashOf } from '../../domain/blocks/block-encoding.js';
import { unpackBlocks } from '../../domain/blocks/block-facts.js';
import type { RecordedEvent } from '../../domain/events.js';
import { HIGHEST_HEIGHT, readInteger } from '../../domain/bounds.js';
import { FARTHEST_TIME_US, type Micros } from '../../domain/time.js';
import {
  findEvent,
  findLatestEvent,
  findNextEvent,
  findPositionAt,
} from '../../event-log/latest-event.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { BlocksQuery, type BlockSelection, type WantedBlock } from '../blocks/blocks.query.js';
import type { BlockValues } from '../blocks/block-fields.js';
import type { NodeQuestion } from './node-question.js';

/** A block as it was known at a moment. */
export interface RecordedBlock extends Pick<BlockRecord, 'headerDaHeight' | 'dataDaHeight'> {
  readonly record: BlockRecord;
  /** When the block was first observed, or first observed as included: from then on the node shows it like this. */
  readonly asOf: Micros;
  /** Whether no later observation can have changed the block by that moment: until it is included, a node may show more of it. */
  readonly isSettled: boolean;
}

type BlocksObserved = Extract<RecordedEvent, { type: 'BlocksObserved' }>;

/** The state of a node's blocks in the log at a moment. */
interface BlocksPosition {
  readonly position: bigint;
  readonly version: bigint;
  /** The last observed blocks up to then; undefined where there were none near it. */
  readonly last: BlocksObserved | undefined;
}

/** A node's report of its own progress. */
export type SaidProgress = Extract<RecordedEvent, { type: 'NodeProgressObserved' }>;

const MOST_FORKS = 20;

/**
 * SQL: the lineage under which a node's block of a height ($2) is recorded. Starts from a lineage that the node shows ($3 and $4;
 * its present lineage where they are null). Follows parents: from the first block of a lineage to the lineage with the block
 * before it, and so on down to the height.
 */
const LINE_AT_HEIGHT = `
  WITH RECURSIVE line AS (
    SELECT own.node_key, l.lineage_key, l.chain_id, l.n, 0 AS depth
      FROM node own JOIN lineage l ON CASE WHEN $3::text IS NULL THEN l.lineage_key = own.lineage_key
                                           ELSE l.chain_id = $3::text AND l.n = $4::int END
     WHERE own.id = $1::text
    UNION ALL
    SELECT line.node_key, below.lineage_key, line.chain_id, below.n, line.depth + 1
      FROM line CROSS JOIN LATERAL (
             SELECT b.height, b.last_header_hash FROM block b
              WHERE b.node_key = line.node_key AND b.lineage_key = line.lineage_key ORDER BY b.height LIMIT 1) first
           CROSS JOIN LATERAL (
             SELECT l.lineage_key, l.n FROM lineage l
               JOIN block b ON b.node_key = line.node_key AND b.lineage_key = l.lineage_key AND b.height = first.height - 1
              WHERE l.chain_id = line.chain_id AND b.hash = first.last_header_hash LIMIT 1) below
     WHERE first.height > $2::bigint AND line.depth < ${MOST_FORKS})
  SELECT chain_id AS chain, n AS lineage FROM line WHERE depth > 0 ORDER BY depth DESC LIMIT 1`;

/** Reads complete blocks with their signatures, which are only in the log. */
@Injectable()
export class RecordedBlockQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly blocks: BlocksQuery,
  ) {}

  /**
   * Undefined where the block is not on record, or was not at that moment. The newest block is undefined, too, while older blocks
   * are being caught up with.
   */
  async findBlock(
    { node, at }: Pick<NodeQuestion, 'node' | 'at'>,
    wanted: WantedBlock,
  ): Promise<RecordedBlock | undefined> {
    if (typeof wanted === 'object' && 'height' in wanted && wanted.height > HIGHEST_HEIGHT) return undefined;
    const place = at === undefined ? undefined : await this.findBlocksPlace(node, at);
    if (at !== undefined && !place) return undefined;
    const row = await this.findRow(node, place, wanted);
    if (!row) return undefined;
    const event = await findEvent(this.reads, row.fromPosition);
    if (event?.type !== 'BlocksObserved') return undefined;
    // Compared only with the head in the block's own event. Later events that are not projected yet may report newer blocks, but
    // at its own poll the block was the newest.
    if (wanted === 'newest' && !place && (headOf(event) ?? -1n) > row.height) return undefined;
    const record = unpackBlocks(event.body).find(({ header }) => header.height === row.height);
    if (!record || !hasHash(record, wanted)) return undefined;
    const { headerDaHeight, dataDaHeight } = row;
    const isIncluded = headerDaHeight !== null && dataDaHeight !== null;
    const asOf = isIncluded ? await this.findIncluded(row, event.observedAt) : event.observedAt;
    const isSettled = isIncluded && (place === undefined || (await this.isStillShown(node, at, place, row)));
    return { record, asOf, isSettled, headerDaHeight, dataDaHeight };
  }

  /** Finds a block of the chain that the node was showing; below a fork, it is recorded under the lineage that the fork left. */
  private async findRow(
    node: string,
    place: BlocksPosition | undefined,
    wanted: WantedBlock,
  ): Promise<BlockValues | undefined> {
    if (!place) {
      const row = await this.blocks.findRow(node, wanted, {}, 'NOW');
      return row ?? this.findBelowFork(node, {}, wanted);
    }
    const [meant, shown] = [atPlace(place, wanted), toShown(place)];
    return (await this.blocks.findRow(node, meant, {}, shown)) ?? this.findBelowFork(node, shown, meant);
  }

  private async findBelowFork(
    node: string,
    { chain, lineage, ...known }: BlockSelection,
    wanted: WantedBlock,
  ): Promise<BlockValues | undefined> {
    const any = wanted === 'newest' ? undefined : await this.blocks.findRow(node, wanted, {}, known);
    if (!any) return undefined;
    const [line] = await this.reads.query<Pick<BlockSelection, 'chain' | 'lineage'>[]>(LINE_AT_HEIGHT, [
      node,
      any.height,
      chain ?? null,
      lineage ?? null,
    ]);
    return line && this.blocks.findRow(node, wanted, {}, { ...known, ...line });
  }

  /**
   * Whether a node that had shown a block before still had it at a moment. It did if the blocks it showed after that moment are
   * of the same chain and lineage.
   */
  private async isStillShown(
    node: string,
    at: Micros | undefined,
    { last, version }: BlocksPosition,
    { height, chainId, n }: BlockValues,
  ): Promise<boolean> {
    const progress = await this.findProgress({ node, at: undefined });
    if ((readInteger(progress?.body.oldest ?? '') ?? 0n) > height) return false;
    if (last?.observedAt === at) return true;
    const next = await findNextEvent(this.reads, streamOf(node), 'BlocksObserved', version);
    return next?.body.chain === chainId && next.body.lineage === n;
  }

  /**
   * When the later of header and data was observed as included; the time of the block itself where no later event reported it.
   */
  private async findIncluded(row: BlockValues, seenAt: Micros): Promise<Micros> {
    const { headerIncludedPosition: header, dataIncludedPosition: data } = row;
    const position = header === null || (data !== null && data > header) ? data : header;
    const event = position === null ? undefined : await findEvent(this.reads, position);
    return event?.observedAt ?? seenAt;
  }

  /** The head of the node's chain as observed by polls; undefined before the first. */
  async findHead({ node, at }: Pick<NodeQuestion, 'node' | 'at'>): Promise<bigint | undefined> {
    const place = await this.findPlace(node, at);
    if (!place) return undefined;
    const [last, progress] = await Promise.all([
      findLatestEvent(this.reads, streamOf(node), 'BlocksObserved', place),
      findLatestEvent(this.reads, streamOf(node), 'NodeProgressObserved', place),
    ]);
    const seen = headOf(last);
    // Progress from before the last blocks may be of a chain that has ended.
    const isLater = progress !== undefined && (!last || progress.position > last.position);
    const claimed = isLater ? (readInteger(progress.body.head ?? '') ?? undefined) : undefined;
    return seen === undefined || (claimed !== undefined && claimed > seen) ? claimed : seen;
  }

  /** The node's last report of its progress; undefined where there is none. */
  async findProgress({ node, at }: Pick<NodeQuestion, 'node' | 'at'>): Promise<SaidProgress | undefined> {
    const place = await this.findPlace(node, at);
    return place && findLatestEvent(this.reads, streamOf(node), 'NodeProgressObserved', place);
  }

  /**
   * The highest block that the node showed as included after its last progress report. A node shows no block as included above
   * the height that it calls included.
   */
  async findIncludedBehind(
    { node, at }: Pick<NodeQuestion, 'node' | 'at'>,
    progress: SaidProgress,
  ): Promise<{ readonly height: bigint; readonly asOf: Micros } | undefined> {
    const place = await this.findPlace(node, at);
    const last =
      place && (await findLatestEvent(this.reads, streamOf(node), 'BlockInclusionObserved', place));
    if (!last || last.position < progress.position) return undefined;
    const heights = last.body.heights.flatMap(([height, header, data]) =>
      header === null || data === null ? [] : (readInteger(height) ?? []),
    );
    const height = heights.reduce((most, each) => (each > most ? each : most), -1n);
    return { height, asOf: last.observedAt };
  }

  private async findBlocksPlace(node: string, at: Micros | undefined): Promise<BlocksPosition | undefined> {
    const place = await this.findPlace(node, at);
    const last = place && (await findLatestEvent(this.reads, streamOf(node), 'BlocksObserved', place));
    return place && { ...place, last };
  }

  private findPlace(node: string, at: Micros | undefined): ReturnType<typeof findPositionAt> {
    return findPositionAt(this.reads, streamOf(node), at ?? FARTHEST_TIME_US);
  }
}

/** A block's transactions; undefined where the settings did not record them. */
export function transactionsOf({ txCount, transactions }: BlockRecord): readonly Uint8Array[] | undefined {
  if (txCount === 0) return [];
  return transactions?.kind === 'full'
    ? transactions.values.map((hex) => Buffer.from(hex, 'hex'))
    : undefined;
}

/** Limits a query to the chain that the node was showing at that position. */
function toShown({ position, last }: BlocksPosition): BlockSelection {
  return { upTo: position, chain: last?.body.chain, lineage: last?.body.lineage };
}

/** False for a block with another signed hash than the requested one; the table only has a part of that hash. */
function hasHash(record: BlockRecord, wanted: WantedBlock): boolean {
  if (wanted === 'newest' || !('signedHash' in wanted)) return true;
  return signedHashOf(record) === wanted.signedHash.toString('hex');
}

/** The head that a poll of blocks observed. */
function headOf(last: BlocksObserved | undefined): bigint | undefined {
  return readInteger(last?.body.head ?? last?.body.to ?? '') ?? undefined;
}

/** The newest block at a moment is the last head observed by then. */
function atPlace({ last }: BlocksPosition, wanted: WantedBlock): WantedBlock {
  return wanted === 'newest' ? { height: headOf(last) ?? -1n } : wanted;
}

function streamOf(node: string): string {
  return `${node}/blocks`;
}
