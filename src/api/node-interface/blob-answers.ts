import { Injectable } from '@nestjs/common';
import { SubmissionSearch } from '../search/submission-search.query.js';
import { SentRowsQuery } from '../submissions/sent-rows.query.js';
import { decodeSubmissionRow, type SubmissionRow } from '../../domain/submissions/submission-row.js';
import { FARTHEST_TIME_US, microsToNanos } from '../../domain/time.js';
import type { NodeQuestion } from './node-question.js';
import { refuseOff } from './da-answers.js';
import { LiveNodes } from './live-nodes.js';
import { jsonAnswer, NO_PROVENANCE, textAnswer, unavailable, type ServedAnswer } from './node-answer.js';
import { ShownListQuery } from './shown-list.query.js';
import { toNamespace } from '../../domain/node-interface/namespace.js';
import { printJson } from '../../domain/node-interface/print-json.js';

const PREVIEW_BYTES = 200;
/** Hex digits of the DA height at the start of a blob id (8 bytes); the commitment follows. */
const HEIGHT_DIGITS = 16;
const UNRECORDED = ['size', 'content', 'content_preview'];

const NO_SUCH_BLOB = textAnswer(500, 'Failed to retrieve blob: blob: not found');

interface BlobQuestion extends NodeQuestion {
  readonly id: string;
  readonly namespace: string | undefined;
}

/** Answers `/da/blob`: the submission from the record, the content from the node if it is reachable. */
@Injectable()
export class BlobAnswers {
  constructor(
    private readonly search: SubmissionSearch,
    private readonly sentRows: SentRowsQuery,
    private readonly lists: ShownListQuery,
    private readonly live: LiveNodes,
  ) {}

  async getBlob(question: BlobQuestion): Promise<ServedAnswer> {
    if (question.id === '') return textAnswer(400, 'Missing blob ID parameter');
    if (!/^([0-9a-f]{2})+$/i.test(question.id)) return textAnswer(400, 'Invalid blob ID format');
    const list = await this.lists.getList(question);
    const off = refuseOff(list.state, question.shape, list);
    if (off) return off;
    const id = question.id.toLowerCase();
    // The node's current list comes from the log, which is ahead of the read models.
    const carrier = findAmong(list.rows, id) ?? (await this.findCarrier(question, id));
    const namespace = question.namespace ? toNamespace(question.namespace) : carrier?.namespace;
    if (carrier?.namespace && namespace !== carrier.namespace) return NO_SUCH_BLOB;
    if (!namespace && !carrier) {
      const text =
        'Namespace required to retrieve blob (not found in the recorded submissions and not provided in query)';
      return textAnswer(400, text);
    }
    // The node may return content now that it did not have at that moment.
    if (question.at !== undefined && !carrier) {
      return unavailable('This blob is not on record at that moment.', UNRECORDED);
    }
    return this.answer(question.node, id, namespace ?? undefined, carrier);
  }

  private async answer(
    node: string,
    id: string,
    namespace: string | undefined,
    carrier: CarryingRow | undefined,
  ): Promise<ServedAnswer> {
    const found = await this.live.findBlob(node, id, namespace, carrier ? 'IF_FREE' : 'NEEDED');
    if (id.length < HEIGHT_DIGITS) return NO_SUCH_BLOB;
    const named = {
      commitment: id.slice(HEIGHT_DIGITS),
      height: Buffer.from(id.slice(0, HEIGHT_DIGITS), 'hex').readBigUInt64LE(),
      id,
    };
    if (found?.ok) {
      const { content } = found.value;
      const shown = {
        ...named,
        content: content.toString('hex'),
        content_preview: content.subarray(0, PREVIEW_BYTES).toString('utf8'),
        size: content.length,
      };
      return jsonAnswer(withCarrier(printJson(shown), carrier), NO_PROVENANCE);
    }
    if (carrier) {
      const { size } = carrier;
      const known = size === null ? named : { ...named, size };
      return jsonAnswer(withCarrier(printJson(known), carrier), {
        ...NO_PROVENANCE,
        missing: UNRECORDED.filter((name) => !Object.hasOwn(known, name)),
      });
    }
    return found?.missing
      ? NO_SUCH_BLOB
      : unavailable(
          'The content of this blob is not on record, and the node does not return it.',
          UNRECORDED,
        );
  }

  /** Finds the node's submission that carried the blob, as observed by that moment. */
  private async findCarrier({ node, at }: NodeQuestion, id: string): Promise<CarryingRow | undefined> {
    if (id.length < HEIGHT_DIGITS) return undefined;
    const daHeight = Buffer.from(id.slice(0, HEIGHT_DIGITS), 'hex').readBigUInt64LE();
    if (daHeight !== BigInt.asIntN(64, daHeight)) return undefined;
    const until = microsToNanos(at ?? FARTHEST_TIME_US);
    const found = (await this.search.findByBlob({ id, daHeight })).find(
      ({ nodeId, observedAt }) => nodeId === node && observedAt <= until,
    );
    if (!found) return undefined;
    const { fromPosition, sequence } = found;
    const [sent] = await this.sentRows.getSentRows([{ fromPosition, sequence: sequence ?? 0n }]);
    return sent && toCarrier(sent.text, sent.row);
  }
}

interface CarryingRow {
  /** The row as sent. */
  readonly text: string;
  readonly namespace: string | null;
  /** Bytes of the blob; null where the submission carried several blobs, since it reports only their total size. */
  readonly size: bigint | null;
}

function toCarrier(text: string, { namespace, blobCount, blobIds, sizeBytes }: SubmissionRow): CarryingRow {
  return { text, namespace, size: blobCount === 1 && blobIds.length === 1 ? sizeBytes : null };
}

function findAmong(rows: readonly string[], id: string): CarryingRow | undefined {
  for (const text of rows) {
    const row = decodeSubmissionRow(text);
    if (row.blobIds.includes(id)) return toCarrier(text, row);
  }
  return undefined;
}

function withCarrier(text: string, carrier: CarryingRow | undefined): string {
  return carrier ? `${text.slice(0, -1)},"submission":${carrier.text}}` : text;
}
