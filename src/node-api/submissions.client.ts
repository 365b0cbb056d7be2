import type { HttpResult } from '../platform/http-messages.js';
import { answered, refused, unreachable, type Answered, type Refused } from './answer.js';
import { isHtml } from './body-text.js';
import { refuseByStatus, type VersionHint } from './da-documents.client.js';
import { SUBMISSIONS } from './limits.js';
import type { NodeServer } from './node-server.js';
import { WindowReader, type SubmissionsWindow } from './submissions-window.js';

/** Which process showed a list. */
interface Origin {
  /** Equal for answers of one process that lived all the time between them; null where that is not known. */
  readonly process: number | null;
  /** A cache says that it is an old answer. */
  readonly isAged: boolean;
}

/** The list, or why there is none: the state of a refusal is a `SourceState`, or `ABORTED`. */
export type SubmissionsAnswer = (Answered<SubmissionsWindow> & Origin) | Refused;

/** The list of submissions. */
export class SubmissionsClient {
  private readonly reader = new WindowReader();

  constructor(
    private readonly server: NodeServer,
    private readonly version: VersionHint,
  ) {}

  /**
   * The rows in the order sent, as text. An answer that was cut off gives the rows that came whole. An equal
   * body is marked `unchanged`; who threw the last answer away can still read its rows.
   */
  async submissions(signal?: AbortSignal): Promise<SubmissionsAnswer> {
    const result = await this.server.watch('/da/submissions', SUBMISSIONS, signal);
    if (result.kind === 'failure') {
      const { partial } = result;
      const isUsable = partial?.status === 200 && result.reason !== 'ABORTED';
      return isUsable ? this.read(result, partial.body, true) : unreachable(result);
    }
    const refusal = await refuseByStatus(result, this.version, signal);
    return refusal ?? this.read(result, result.body, result.truncated);
  }

  private read(result: HttpResult, body: Buffer, isCut: boolean): SubmissionsAnswer {
    const reading = this.reader.read(body, isCut);
    if (reading.kind === 'window') {
      const isAged = result.kind === 'response' && result.route.isAged;
      return { ...answered(result, reading.window), process: this.server.processOf(result), isAged };
    }
    if (result.kind === 'failure') return unreachable(result);
    if (reading.kind === 'not-aggregator') return refused(result, 'NOT_AGGREGATOR', reading.message);
    return refused(
      result,
      'INVALID',
      isHtml(body) ? 'answered a web page where a list is due' : reading.detail,
    );
  }
}
