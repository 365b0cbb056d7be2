import { eventsOn } from '../../../domain/event-shape.js';
import type { NodeEvents } from '../../../domain/events.js';
import { boundBlock } from '../../../domain/blocks/bound-block.js';
import { unpackBlocks } from '../../../domain/blocks/block-facts.js';
import type { BlockRecord } from '../../../domain/blocks/block.js';
import { decoding } from '../../../domain/decode-error.js';
import { decodeSubmissionRow, type SubmissionRow } from '../../../domain/submissions/submission-row.js';
import type { HandledEvent } from '../../projection.js';

/** The events that the record is read from. */
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
/** Those of a node's own stream. */
export type NodeEvent = Extract<RecordEvent, { type: keyof NodeEvents }>;

/** An event with what is packed in it unpacked. */
export interface DecodedEvent {
  readonly event: RecordEvent;
  readonly rows: readonly SubmissionRow[];
  /** Those of a possible height, their other numbers within what can be. */
  readonly blocks: readonly BlockRecord[];
}

/** @throws DecodeError when what is packed in it cannot be unpacked */
export function decodeEvent(event: RecordEvent): DecodedEvent {
  return decoding(`What is packed in a ${event.type}`, () => {
    const rows = event.type === 'SubmissionsObserved' ? event.body.rows.map(decodeSubmissionRow) : [];
    const blocks = event.type === 'BlocksObserved' ? unpackBlocks(event.body).flatMap(boundBlock) : [];
    return { event, rows, blocks };
  });
}
