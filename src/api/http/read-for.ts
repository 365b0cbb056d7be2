import type { ServerResponse } from 'node:http';
import type { ReadDatabase } from '../../platform/reads/read-database.js';
import type { ReadRequest } from '../../platform/reads/read-request.js';
import { whenOver } from './answer-over.js';
import { markHolder } from './answer-pace.js';

/** What is read for an answer: it ends when that was taken, or its client has left. */
export function readFor(answer: ServerResponse, reads: Pick<ReadDatabase, 'newRequest'>): ReadRequest {
  const reading = reads.newRequest();
  whenOver(answer, () => reading.end());
  markHolder(answer, () => reading.isInTheWay);
  return reading;
}
