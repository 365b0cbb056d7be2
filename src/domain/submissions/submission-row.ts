import { type JsonValue, tryParseExactJson } from '../exact-json.js';
import { type Nanos, SECOND_NS } from '../time.js';
import type { SubmissionStatus } from './submission-codes.js';
import {
  type RowField,
  findField,
  readFieldCount,
  readFieldHeight,
  readFieldPrice,
  readFieldSize,
  readFieldText,
  readHexOfLength,
  readNodeTime,
} from './row-fields.js';

/** The readable part of one row of a node's submissions list. Null: not reported, not known, or not readable. */
export interface SubmissionRow {
  /** The node's own id of the row; different rows can have the same one. */
  readonly id: string | null;
  readonly status: SubmissionStatus;
  /** As the node sent it. */
  readonly statusText: string | null;
  readonly message: string | null;
  /** 58 hex digits, lower case, without 0x. */
  readonly namespace: string | null;
  /**
   * DA height, from 1 on. If no field contains it, it is read from the blob ids of a success. Null for an attempt that
   * reached no DA height.
   */
  readonly daHeight: bigint | null;
  readonly blobCount: number | null;
  /** Lower-case hex of 40 bytes; an id of another form stays as sent. */
  readonly blobIds: readonly string[];
  /** Bytes of all blobs; also null where the node wrote 0 for blobs that it refused before adding them up. */
  readonly sizeBytes: bigint | null;
  /** Exact decimal, in the DA layer's unit per gas. */
  readonly gasPrice: string | null;
  /** On the node's clock; null for the zero time. */
  readonly occurredAt: Nanos | null;
  readonly occurredAtText: string | null;
  /** Names of fields with unreadable values; `row` if the text is not a JSON object. */
  readonly unreadable: readonly string[];
}

/** Names of a row's fields: the real node's first, then others that the specification allows. */
const NAMES = {
  id: ['id', 'submission_id', 'submissionId'],
  status: ['status_code', 'statusCode', 'status', 'state', 'success'],
  message: ['message', 'error_message', 'errorMessage', 'error'],
  namespace: ['namespace'],
  daHeight: ['height', 'da_height', 'daHeight'],
  blobCount: ['num_blobs', 'numBlobs', 'blob_count', 'blobCount', 'blobs'],
  blobIds: ['blob_ids', 'blobIds', 'blob_id', 'blobId', 'blobs'],
  sizeBytes: ['blob_size', 'blobSize', 'size_bytes', 'sizeBytes', 'size'],
  gasPrice: ['gas_price', 'gasPrice'],
  time: ['timestamp', 'time', 'submitted_at', 'submittedAt', 'created_at', 'createdAt'],
} as const;

/** Status texts in lower case, letters only. */
const STATUSES: ReadonlyMap<string, SubmissionStatus> = new Map([
  ['success', 'SUCCESS'],
  ['successful', 'SUCCESS'],
  ['succeeded', 'SUCCESS'],
  ['ok', 'SUCCESS'],
  ['true', 'SUCCESS'],
  ['notfound', 'NOT_FOUND'],
  ['notincludedinblock', 'NOT_INCLUDED_IN_BLOCK'],
  ['alreadyinmempool', 'ALREADY_IN_MEMPOOL'],
  ['toobig', 'TOO_BIG'],
  ['contextdeadline', 'CONTEXT_DEADLINE'],
  ['contextdeadlineexceeded', 'CONTEXT_DEADLINE'],
  ['error', 'ERROR'],
  ['failure', 'ERROR'],
  ['failed', 'ERROR'],
  ['false', 'ERROR'],
  ['incorrectaccountsequence', 'INCORRECT_ACCOUNT_SEQUENCE'],
  ['contextcanceled', 'CONTEXT_CANCELED'],
  ['contextcancelled', 'CONTEXT_CANCELED'],
  ['heightfromfuture', 'HEIGHT_FROM_FUTURE'],
]);
const NAMESPACE_BYTES = 29;
/** An id of a Celestia blob: the DA height in 8 bytes, little-endian, and the commitment. */
const BLOB_ID_BYTES = 40;
/** Ids in another format contain no height: hardly one of them begins with so small a number. */
const HIGHEST_IN_AN_ID = 2n ** 40n;

/**
 * Reads one row from its JSON text, whatever the text is. Never throws. Accepts the real node's names and those that the
 * specification allows, in snake_case and camelCase, numbers as numbers or text, without losing a digit.
 */
export function decodeSubmissionRow(text: string): SubmissionRow {
  return decodeParsedRow(tryParseExactJson(text));
}

/** Like `decodeSubmissionRow`. @param parsed undefined: the text is not JSON */
export function decodeParsedRow(parsed: JsonValue | undefined): SubmissionRow {
  const isRow = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  const fields = new FieldReader(isRow ? parsed : {}, isRow ? [] : ['row']);
  const { status, statusText } = readStatus(fields);
  const height = fields.read(NAMES.daHeight, readFieldHeight);
  const blobIds = fields.read(NAMES.blobIds, readBlobIds);
  const blobCount = fields.read(NAMES.blobCount, readFieldCount) ?? blobIds?.length ?? null;
  const size = fields.read(NAMES.sizeBytes, readFieldSize);
  return {
    id: fields.read(NAMES.id, readFieldText),
    status,
    statusText,
    message: fields.read(NAMES.message, readFieldText) || null,
    namespace: fields.read(NAMES.namespace, readNamespace),
    daHeight: height || (status === 'SUCCESS' && heightOfIds(blobIds ?? [])) || null,
    blobCount,
    blobIds: blobIds ?? [],
    sizeBytes: size === 0n && blobCount !== 0 ? null : size,
    gasPrice: fields.read(NAMES.gasPrice, readFieldPrice),
    occurredAt: fields.read(NAMES.time, readTime),
    occurredAtText: fields.peek(NAMES.time, readFieldText),
    unreadable: [...fields.unreadable],
  };
}

/** Whether a field of this name holds the time of a row. */
export function isTimeField(name: string): boolean {
  return (NAMES.time as readonly string[]).includes(name);
}

/** Whether a field of this name holds the number of blobs of a row. */
export function isCountField(name: string): boolean {
  return (NAMES.blobCount as readonly string[]).includes(name);
}

const ALL_NAMES: readonly string[] = Object.values(NAMES).flat();

/** Whether a text is a row of a submissions list: an object with at least one field of a row, readable or not. */
export function hasRowField(text: string): boolean {
  const row = tryParseExactJson(text);
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return false;
  return ALL_NAMES.some((name) => Object.hasOwn(row, name));
}

/** The time that distinguishes a row from others. */
export interface RowTime {
  readonly ns: Nanos;
  /** Whether it is finer than a second. */
  readonly isFine: boolean;
  /** Whether it is only the second at which the real node recorded the row, read from the id. */
  readonly isFromId: boolean;
}

/** The time of a row: its timestamp, else the second inside its id. Null: it has neither. */
export function findRowTime(text: string): RowTime | null {
  const row = tryParseExactJson(text);
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return null;
  const time = findField(row, NAMES.time);
  const ns = time && readTime(time);
  if (ns) return { ns, isFine: ns % SECOND_NS !== 0n, isFromId: false };
  const id = findField(row, NAMES.id)?.value;
  const second = typeof id === 'string' ? /^submission_\d+_(\d{9,11})$/.exec(id)?.[1] : undefined;
  return second ? { ns: BigInt(second) * SECOND_NS, isFine: false, isFromId: true } : null;
}

class FieldReader {
  readonly unreadable: Set<string>;

  constructor(
    private readonly row: { [name: string]: JsonValue },
    unreadable: readonly string[],
  ) {
    this.unreadable = new Set(unreadable);
  }

  /** The field's value; null if it is missing or `readValue` returns null. `undefined` marks it as unreadable. */
  read<T>(names: readonly string[], readValue: (field: RowField) => T | null | undefined): T | null {
    const field = findField(this.row, names);
    const value = field && readValue(field);
    if (field && value === undefined) this.unreadable.add(field.name);
    return value ?? null;
  }

  /** Like `read`, but does not mark a field as unreadable. */
  peek<T>(names: readonly string[], readValue: (field: RowField) => T | undefined): T | null {
    const field = findField(this.row, names);
    return (field && readValue(field)) ?? null;
  }
}

function readStatus(fields: FieldReader): Pick<SubmissionRow, 'status' | 'statusText'> {
  const statusText = fields.read(NAMES.status, ({ name, value }) =>
    typeof value === 'boolean' ? String(value) : readFieldText({ name, value }),
  );
  const letters = statusText?.toLowerCase().replace(/[^a-z]/g, '') ?? '';
  return { statusText, status: STATUSES.get(letters) ?? 'OTHER' };
}

function readNamespace({ value }: RowField): string | null | undefined {
  if (typeof value !== 'string') return undefined;
  return value === '' ? null : readHexOfLength(value, NAMESPACE_BYTES);
}

function readTime({ value }: RowField): Nanos | null | undefined {
  return typeof value === 'string' || typeof value === 'number' ? readNodeTime(value) : undefined;
}

/** One id or a list of them; a list of objects gives their ids. A bare count (`blobs: 3`) gives null. */
function readBlobIds({ name, value }: RowField): string[] | null | undefined {
  if (name === 'blobs' && !Array.isArray(value)) return null;
  const ids = (Array.isArray(value) ? value : [value]).map((id) => blobIdOf(memberIdOf(id)));
  const known = ids.filter((id) => id !== undefined);
  return known.length === ids.length ? known.filter((id) => id !== '') : undefined;
}

/** The DA height that all ids contain; null unless they agree. */
function heightOfIds(ids: readonly string[]): bigint | null {
  const heights = new Set(ids.map((id) => (isBlobId(id) ? Buffer.from(id, 'hex').readBigUInt64LE() : null)));
  const [height = null] = heights;
  return heights.size === 1 && height !== null && height <= HIGHEST_IN_AN_ID ? height : null;
}

function isBlobId(id: string): boolean {
  return readHexOfLength(id, BLOB_ID_BYTES) === id;
}

/** The id inside of an object; anything else is the id itself. */
function memberIdOf(value: JsonValue): JsonValue {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (findField(value, ['id', 'blob_id', 'blobId'])?.value ?? null) : value;
}

function blobIdOf(value: JsonValue): string | undefined {
  return typeof value === 'string' ? (readHexOfLength(value, BLOB_ID_BYTES) ?? value) : undefined;
}
