import { boundBlock } from '../../domain/blocks/bound-block.js';
import { unpackBlocks } from '../../domain/blocks/block-facts.js';
import type { BlockRecord } from '../../domain/blocks/block.js';
import { decoding } from '../../domain/decode-error.js';
import type { RecordedEvent } from '../../domain/events.js';
import { decodeSubmissionRow, type SubmissionRow } from '../../domain/submissions/submission-row.js';

/** An event with what is packed in it unpacked. */
export interface DecodedEvent {
  readonly event: RecordedEvent;
  readonly rows: readonly SubmissionRow[];
  /** Those of a possible height, their other numbers within what can be. */
  readonly blocks: readonly BlockRecord[];
}

/** @throws DecodeError when what is packed in it cannot be unpacked */
export function decodeEvent(event: RecordedEvent): DecodedEvent {
  return decoding(`What is packed in a ${event.type}`, () => {
    const rows = event.type === 'SubmissionsObserved' ? event.body.rows.map(decodeSubmissionRow) : [];
    const blocks = event.type === 'BlocksObserved' ? unpackBlocks(event.body).flatMap(boundBlock) : [];
    return { event, rows, blocks };
  });
}
