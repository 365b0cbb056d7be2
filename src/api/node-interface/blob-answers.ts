import { Injectable } from '@nestjs/common';
import { SubmissionSearch } from '../search/submission-search.query.js';
import { SentRowsQuery } from '../submissions/sent-rows.query.js';
import type { Submission } from '../submissions/submission.type.js';
import { FARTHEST_TIME_US, microsToNanos } from '../../domain/time.js';
import type { Asked } from './asked.js';
import { refuseOff } from './da-answers.js';
import { LiveNodes } from './live-nodes.js';
import { jsonAnswer, NO_STANDING, textAnswer, unavailable, type NodeAnswer } from './node-answer.js';
import { ShownListQuery } from './shown-list.query.js';
import { printJson } from '../../domain/node-interface/print-json.js';

const PREVIEW_BYTES = 200;
/** A DA height in 8 bytes, and the blob's commitment. */
const HEIGHT_DIGITS = 16;
const UNRECORDED = ['size', 'content', 'content_preview'];

interface AskedBlob extends Asked {
  readonly id: string;
  readonly namespace: string | undefined;
}

/** Answers `/da/blob`: the submission from the record, the content from the node while it lives. */
@Injectable()
export class BlobAnswers {
  constructor(
    private readonly search: SubmissionSearch,
    private readonly sentRows: SentRowsQuery,
    private readonly lists: ShownListQuery,
    private readonly live: LiveNodes,
  ) {}

  async getBlob(asked: AskedBlob): Promise<NodeAnswer> {
    if (asked.id === '') return textAnswer(400, 'Missing blob ID parameter');
    if (!/^([0-9a-f]{2})+$/i.test(asked.id)) return textAnswer(400, 'Invalid blob ID format');
    const list = await this.lists.findState(asked.node, asked.at ?? FARTHEST_TIME_US);
    const off = refuseOff(list?.state ?? null, asked.shape, NO_STANDING);
    if (off) return off;
    const id = asked.id.toLowerCase();
    const carrier = id.length > HEIGHT_DIGITS ? await this.findCarrier(asked, id) : undefined;
    const namespace = asked.namespace?.replace(/^0x/i, '') ?? carrier?.namespace;
    if (!namespace && !carrier) {
      const text =
        'Namespace required to retrieve blob (not found in the recorded submissions and not provided in query)';
      return textAnswer(400, text);
    }
    return this.answer(asked.node, id, namespace ?? undefined, carrier);
  }

  private async answer(
    node: string,
    id: string,
    namespace: string | undefined,
    carrier: Submission | undefined,
  ): Promise<NodeAnswer> {
    const found = await this.live.ask(node, (api) => api.blob(id, namespace));
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
      return jsonAnswer(await this.withCarrier(printJson(shown), carrier), NO_STANDING);
    }
    if (carrier) {
      return jsonAnswer(await this.withCarrier(printJson(named), carrier), {
        ...NO_STANDING,
        missing: UNRECORDED,
      });
    }
    return found?.missing
      ? textAnswer(500, 'Failed to retrieve blob: blob: not found')
      : unavailable('The content of this blob is not on record, and the node does not tell it.', UNRECORDED);
  }

  private async withCarrier(text: string, carrier: Submission | undefined): Promise<string> {
    if (!carrier) return text;
    const { fromPosition, sequence } = carrier;
    const [sent] = await this.sentRows.getSentRows([{ fromPosition, sequence: sequence ?? 0n }]);
    return sent ? `${text.slice(0, -1)},"submission":${sent.text}}` : text;
  }

  /** The submission of the node that carried the blob, as far as it was seen by then. */
  private async findCarrier({ node, at }: Asked, id: string): Promise<Submission | undefined> {
    const daHeight = Buffer.from(id.slice(0, HEIGHT_DIGITS), 'hex').readBigUInt64LE();
    if (daHeight !== BigInt.asIntN(64, daHeight)) return undefined;
    const carriers = await this.search.findByBlob({ id, daHeight });
    const until = microsToNanos(at ?? FARTHEST_TIME_US);
    return carriers.find(({ nodeId, observedAt }) => nodeId === node && observedAt <= until);
  }
}
