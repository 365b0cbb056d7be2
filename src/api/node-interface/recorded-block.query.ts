import { Inject, Injectable } from '@nestjs/common';
import type { BlockRecord } from '../../domain/blocks/block.js';
import { unpackBlocks } from '../../domain/blocks/block-facts.js';
import type { RecordedEvent } from '../../domain/events.js';
import { HIGHEST_HEIGHT, readInteger } from '../../domain/bounds.js';
import { FARTHEST_TIME_US, type Micros } from '../../domain/time.js';
import { findEvent, findLatestEvent, findPlaceAt } from '../../event-log/latest-event.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { StatementSource } from '../../platform/sql.js';
import { BlocksQuery } from '../blocks/blocks.query.js';
import type { BlockRow } from '../blocks/block-row.js';
import type { Asked } from './asked.js';

/** Which block is meant. The hash is that of the header. */
export type WantedBlock = { readonly height: bigint } | { readonly hash: Buffer } | 'newest';

/** A block as it was known at a moment. */
export interface RecordedBlock extends Pick<BlockRecord, 'headerDaHeight' | 'dataDaHeight'> {
  readonly record: BlockRecord;
  /** When it was first seen, or first seen included: from then on the node shows it so. */
  readonly asOf: Micros;
  /** Whether header and data were seen included: until then a node may show more of it at any moment. */
  readonly isSettled: boolean;
}

/** What a node told of its own progress. */
export type SaidProgress = Extract<RecordedEvent, { type: 'NodeProgressObserved' }>;

/** Reads blocks whole, with their signatures, which stand in the log alone. */
@Injectable()
export class RecordedBlockQuery {
  constructor(
    @Inject(ReadDatabase) private readonly dataSource: StatementSource,
    private readonly blocks: BlocksQuery,
  ) {}

  /** Undefined where it is not on record, or was not at that moment. */
  async findBlock(
    { node, at }: Pick<Asked, 'node' | 'at'>,
    wanted: WantedBlock,
  ): Promise<RecordedBlock | undefined> {
    if (typeof wanted === 'object' && 'height' in wanted && wanted.height > HIGHEST_HEIGHT) return undefined;
    const until = at === undefined ? undefined : ((await this.findPlace(node, at))?.position ?? 0n);
    const row = await this.blocks.findRow(node, await this.atMoment(node, at, wanted), {}, until ?? 'NOW');
    if (!row) return undefined;
    const event = await findEvent(this.dataSource, row.fromPosition);
    if (event?.type !== 'BlocksObserved') return undefined;
    const record = unpackBlocks(event.body).find(({ header }) => header.height === row.height);
    const heights = daHeightsAt(row, until);
    const isSettled = heights.headerDaHeight !== null && heights.dataDaHeight !== null;
    const asOf = isSettled ? await this.findIncluded(row, event.observedAt) : event.observedAt;
    return record && { record, asOf, isSettled, ...heights };
  }

  /** When the later one of header and data was seen included; with the block itself where no later event told it. */
  private async findIncluded(row: BlockRow, seenAt: Micros): Promise<Micros> {
    const header = row.headerIncludedPosition ?? row.includedPosition;
    const data = row.dataIncludedPosition ?? row.includedPosition;
    const position = header === null || (data !== null && data > header) ? data : header;
    const event = position === null ? undefined : await findEvent(this.dataSource, position);
    return event?.observedAt ?? seenAt;
  }

  /** What the node last told of its progress; undefined where it had told nothing. */
  async findProgress({ node, at }: Pick<Asked, 'node' | 'at'>): Promise<SaidProgress | undefined> {
    const place = await this.findPlace(node, at);
    return place && findLatestEvent(this.dataSource, streamOf(node), 'NodeProgressObserved', place);
  }

  /** The newest block at a moment is the last one that had been observed by then. */
  private async atMoment(node: string, at: Micros | undefined, wanted: WantedBlock): Promise<WantedBlock> {
    if (wanted !== 'newest' || at === undefined) return wanted;
    const place = await this.findPlace(node, at);
    const event = place && (await findLatestEvent(this.dataSource, streamOf(node), 'BlocksObserved', place));
    return { height: readInteger(event?.body.to ?? '') ?? -1n };
  }

  private findPlace(node: string, at: Micros | undefined): ReturnType<typeof findPlaceAt> {
    return findPlaceAt(this.dataSource, streamOf(node), at ?? FARTHEST_TIME_US);
  }
}

function streamOf(node: string): string {
  return `${node}/blocks`;
}

/** DA heights that events up to a position had told. */
function daHeightsAt(
  row: BlockRow,
  until: bigint | undefined,
): Pick<RecordedBlock, 'headerDaHeight' | 'dataDaHeight'> {
  const isKnown = (position: bigint | null): boolean =>
    until === undefined || (position ?? row.includedPosition ?? row.fromPosition) <= until;
  return {
    headerDaHeight: isKnown(row.headerIncludedPosition) ? row.headerDaHeight : null,
    dataDaHeight: isKnown(row.dataIncludedPosition) ? row.dataDaHeight : null,
  };
}
