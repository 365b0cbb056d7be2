import { unpackBlocks } from '../../../domain/blocks/block-facts.js';
import type { BlockRecord } from '../../../domain/blocks/block.js';
import {
  nearestCount,
  nearestSize,
  readHeight,
  readHeightRange,
  toCount,
  toHeight,
  toInt64,
} from '../../../domain/bounds.js';
import { decoding } from '../../../domain/decode-error.js';
import { eventsOn } from '../../../domain/event-shape.js';
import type { NodeEvents } from '../../../domain/events.js';
import type { HeightSpan } from '../../../domain/evidence/inclusion-walk.js';
import { readRecordedRow, type RecordedRow } from '../../../domain/submissions/recorded-row.js';
import type { HandledEvent } from '../../projection.js';
import type { Inclusion } from './blocks.js';

/**
 * A block with numbers that tables and sums can store. Impossible DA heights and sizes become unknown; times and versions,
 * which every block has, are clamped. Empty if the block's height is impossible.
 */
export function boundBlock(block: BlockRecord): [] | [BlockRecord] {
  const { header } = block;
  if (toHeight(header.height) === null) return [];
  const { versionBlock, versionApp, timeNs } = header;
  const bounded = {
    versionBlock: toInt64(versionBlock),
    versionApp: toInt64(versionApp),
    timeNs: toInt64(timeNs),
  };
  return [
    {
      ...block,
      header: { ...header, ...bounded },
      txCount: nearestCount(block.txCount),
      txBytes: nearestSize(block.txBytes),
      headerBlobBytes: toCount(block.headerBlobBytes),
      dataBlobBytes: toCount(block.dataBlobBytes),
      headerDaHeight: toHeight(block.headerDaHeight),
      dataDaHeight: toHeight(block.dataDaHeight),
    },
  ];
}

export const RECORD_EVENTS = [
  'NodeRegistered',
  'NodeSettingsChanged',
  'NodeRetired',
  'NodeDescribed',
  'NodeWatched',
  'ChainLineageOpened',
  ...eventsOn('submissions'),
  'BlocksObserved',
  'BlockInclusionObserved',
  'BlockUnreadable',
  'BlocksPruned',
  'NodeProgressObserved',
  ...eventsOn('probes'),
  ...eventsOn('claims'),
] as const;
export type RecordEvent = HandledEvent<typeof RECORD_EVENTS>;
export type NodeEvent = Extract<RecordEvent, { type: keyof NodeEvents }>;

/** An event with its packed parts unpacked, without impossible heights. */
export interface DecodedEvent {
  readonly event: RecordEvent;
  readonly rows: readonly RecordedRow[];
  /** All numbers are within the possible range. */
  readonly blocks: readonly BlockRecord[];
  readonly inclusions: readonly Inclusion[];
  /** Heights of blocks that the node cannot give. */
  readonly unavailable: HeightSpan | null;
}

/** @throws DecodeError when a packed part cannot be unpacked */
export function decodeEvent(event: RecordEvent): DecodedEvent {
  return decoding(`The packed part of a ${event.type}`, () => ({
    event,
    rows: event.type === 'SubmissionsObserved' ? event.body.rows.map(readRecordedRow) : [],
    blocks: event.type === 'BlocksObserved' ? unpackBlocks(event.body).flatMap(boundBlock) : [],
    inclusions: event.type === 'BlockInclusionObserved' ? event.body.heights.flatMap(toInclusion) : [],
    unavailable: unavailableOf(event),
  }));
}

function toInclusion([text, header, data]: readonly [string, string | null, string | null]): Inclusion[] {
  const height = readHeight(text);
  if (height === null) return [];
  return [{ height, headerDaHeight: readHeight(header), dataDaHeight: readHeight(data) }];
}

function unavailableOf(event: RecordEvent): HeightSpan | null {
  if (event.type === 'BlocksPruned') return readHeightRange(event.body.from, event.body.to);
  if (event.type !== 'BlockUnreadable') return null;
  const { height, to = height } = event.body;
  return readHeightRange(height, to);
}
