import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { scanRows } from '../domain/submissions/row-scanner.js';
import { hasRowField } from '../domain/submissions/submission-row.js';
import type { HttpResult } from '../platform/http-messages.js';
import type { AnswerForm } from '../domain/node-interface/answer-form.js';
import { answered, type Answered, isHtml, refused, type Refused, unreachable } from './answer.js';
import { formOf, refuseByStatus, refuseStranger, type VersionHint } from './da-documents.client.js';
import { SUBMISSIONS } from './limits.js';
import type { NodeServer } from './node-server.js';
import { AnswerVerifier, type NodeWitness } from './node-witness.js';

interface RowTexts {
  readonly texts: readonly string[];
  readonly originals: Readonly<Record<string, string>>;
}

/** One good answer of a node's list of submissions. */
class SubmissionsWindow {
  /**
   * @param source the rows, or the body from which they are read when needed. The bytes are not kept beside the rows: many answers
   *   wait for an append at a time.
   * @param unchanged the body equals this node's last complete body, so its rows need not be read
   * @param complete false if the answer was cut off (bytes, time, syntax); then `rows` has only the complete rows
   */
  constructor(
    private source: Buffer | RowTexts,
    readonly bytes: number,
    readonly unchanged: boolean,
    readonly complete: boolean,
  ) {}

  /** JSON text of each row, in the order sent; bytes that are not UTF-8 become U+FFFD. */
  get rows(): readonly string[] {
    return this.read().texts;
  }

  /** Index in `rows` -> the row as sent, in base64, for rows with bytes that are not UTF-8. */
  get originals(): Readonly<Record<string, string>> {
    return this.read().originals;
  }

  private read(): RowTexts {
    if (Buffer.isBuffer(this.source)) this.source = scan(this.source).rows;
    return this.source;
  }
}

type ParsedList =
  | { readonly kind: 'window'; readonly window: SubmissionsWindow }
  | { readonly kind: 'not-aggregator'; readonly message: string }
  | { readonly kind: 'invalid'; readonly detail: string };

/** A ring of 5,000 rows is conceivable; a longer list than this is not a ring. */
const MAX_ROWS = 50_000;

/**
 * Reads bodies of one node's list, and recognises a body that equals the last one by its SHA-256. Bodies are not kept: of a thousand
 * nodes, they would take 40 MB.
 */
class WindowReader {
  private lastDigest: string | undefined;
  /** The reading of the last body, unless it was a list: the rows of a list are read again on demand. */
  private last: ParsedList | undefined;

  /** @param isCut whether the end of the body is missing */
  read(body: Buffer, isCut: boolean): ParsedList {
    if (isCut) return readCut(body);
    const digest = hash('sha256', body, 'base64');
    if (digest === this.lastDigest) {
      return this.last ?? { kind: 'window', window: new SubmissionsWindow(body, body.length, true, true) };
    }
    const reading = readWhole(body);
    const isList = reading.kind === 'window' && reading.window.complete;
    if (!isList && reading.kind !== 'not-aggregator') return reading;
    this.lastDigest = digest;
    this.last = isList ? undefined : reading;
    return reading;
  }
}

function readCut(body: Buffer): ParsedList {
  const { rows } = scan(body);
  if (!rows.texts.some(hasRowField) || rows.texts.length > MAX_ROWS) {
    return { kind: 'invalid', detail: 'the answer was cut off before its first row ended' };
  }
  return { kind: 'window', window: new SubmissionsWindow(rows, body.length, false, false) };
}

function readWhole(body: Buffer): ParsedList {
  const { rows, complete, rest } = scan(body);
  const count = rows.texts.length;
  if (count === 0 && (rest['is_aggregator'] ?? rest['isAggregator']) === false) {
    const { message } = rest;
    return {
      kind: 'not-aggregator',
      message: typeof message === 'string' ? message : 'this node is not an aggregator',
    };
  }
  const isList = count === 0 ? complete : rows.texts.some(hasRowField);
  if (!isList) return { kind: 'invalid', detail: 'answered no list of submissions' };
  if (count > MAX_ROWS) return { kind: 'invalid', detail: `answered more than ${MAX_ROWS} rows` };
  return { kind: 'window', window: new SubmissionsWindow(rows, body.length, false, complete) };
}

function scan(body: Buffer): { rows: RowTexts; complete: boolean; rest: Readonly<Record<string, unknown>> } {
  if (isUtf8(body)) {
    const { rows, complete, rest } = scanRows(body.toString('utf8'));
    return { rows: { texts: rows, originals: {} }, complete, rest };
  }
  return scanBroken(body);
}

/** JSON's own characters are one byte each, so rows can be cut out of bytes that are not UTF-8 and kept as they are. */
function scanBroken(body: Buffer): ReturnType<typeof scan> {
  const start = body.toString('latin1', 0, 3) === '\u00ef\u00bb\u00bf' ? 3 : 0;
  const { rows, complete, rest } = scanRows(body.toString('latin1', start));
  const bytes = rows.map((row) => Buffer.from(row, 'latin1'));
  const originals: Record<string, string> = {};
  bytes.forEach((row, index) => {
    if (!isUtf8(row)) originals[String(index)] = row.toString('base64');
  });
  return { rows: { texts: bytes.map((row) => row.toString('utf8')), originals }, complete, rest };
}

/** Identifies the process that sent a list. */
interface SenderProcess {
  /** Equal for answers of one process that ran all the time between them; null if that is not known. */
  readonly process: number | null;
  /** Whether a cache marked the answer as old. */
  readonly isAged: boolean;
}

/** The list, or a refusal whose state is a `SourceState` or `ABORTED`. */
export type SubmissionsAnswer = (Answered<SubmissionsWindow> & SenderProcess) | Refused;

/** Reads `/da/submissions`. */
export class SubmissionsClient {
  private readonly reader = new WindowReader();
  private readonly doubt: AnswerVerifier;
  /** The form of the last complete list; an equal list has the same form. */
  private form: AnswerForm = 'OPEN';

  constructor(
    private readonly server: NodeServer,
    private readonly version: VersionHint,
    witness: NodeWitness,
  ) {
    this.doubt = new AnswerVerifier(witness);
  }

  /**
   * The rows in the order sent, as text. A truncated answer gives its complete rows. A body equal to the last one is marked
   * `unchanged`; callers that discarded the last answer can still read its rows.
   */
  async submissions(signal?: AbortSignal): Promise<SubmissionsAnswer> {
    const result = await this.server.watch('/da/submissions', SUBMISSIONS, signal);
    if (result.kind === 'failure') {
      const { partial } = result;
      const isUsable = partial?.status === 200 && result.reason !== 'ABORTED';
      return isUsable ? this.read(result, partial.body, true) : unreachable(result);
    }
    const { status, body, truncated } = result;
    if (status !== 200 && status !== 204) {
      return refuseByStatus(result, { version: this.version, doubt: this.doubt }, signal);
    }
    const answer = this.read(result, body, truncated);
    if (!answer.ok) return answer;
    if (!answer.value.unchanged) this.form = answer.value.rows.length > 0 ? 'OWN' : formOf(result);
    const isNodes = await this.doubt.isNodes(this.form, signal);
    return isNodes ? answer : refuseStranger(result, 'where a list is due');
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
