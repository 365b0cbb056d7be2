import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { parseBlockRequest } from './connect-request.js';

const FIXTURES = new URL('../fixtures/ev-node/', import.meta.url);

/** One line of a recording: the answer to a request from `t` (milliseconds since the start) on. */
export interface RecordedLine {
  t: number;
  /** Absent if the connection failed. */
  answer?: { status: number; type: string; body: Buffer };
}

/** A recorded block: the time when it was first shown, and the fields from which other answers can be made. */
export interface RecordedBlock {
  height: bigint;
  /** Milliseconds since the start. */
  seenAt: number;
  /** Nanoseconds since 1970. */
  time: string;
  lastHeaderHash: string;
  lastDataHash: string;
}

/** A recording of a real node, indexed by request. */
export interface Recording {
  /** The node's clock at the start, in Unix milliseconds. */
  startMs: number;
  /** Length in milliseconds. */
  lengthMs: number;
  /** By `requestKey`; each list in the order of `t`. */
  lines: Map<string, RecordedLine[]>;
  /** In the order of height. */
  blocks: RecordedBlock[];
}

/** A line of a recording as it is written. */
export interface RawLine {
  t: number;
  method: string;
  path: string;
  request?: unknown;
  status?: number;
  type?: string;
  body?: string;
}

const loaded = new Map<string, Recording>();

/** Reads a recording once per process; later calls give the same object. */
export function loadRecording(file: 'aggregator' | 'follower'): Recording {
  const known = loaded.get(file);
  if (known) {
    return known;
  }
  const [first = '{}', ...rest] = readLines(`${file}.ndjson.br`);
  const { startMs } = JSON.parse(first) as { startMs: number };
  const recording = indexRecording(
    startMs,
    rest.map((line) => JSON.parse(line) as RawLine),
  );
  loaded.set(file, recording);
  return recording;
}

/** One row of the truth file: a submission and the moment it entered the ring, in milliseconds since the start. */
export interface TrueRow {
  t: number;
  row: Record<string, unknown>;
}

/** Every row that entered the recorded aggregator's ring, in order. */
export function loadTruth(): TrueRow[] {
  return readLines('aggregator-truth.ndjson.br').map((line) => JSON.parse(line) as TrueRow);
}

/** The key under which two requests are the same, however their bodies are written. HEAD and POST on `/da/` count as GET. */
export function requestKey(method: string, path: string, body: string): string {
  if (path.endsWith('/GetBlock')) {
    const request = parseBlockRequest(body);
    return request.kind === 'height' ? `${path} ${request.height}` : path;
  }
  if (path.endsWith('/GetMetadata')) {
    return `${path} ${metadataKey(body)}`;
  }
  return method === 'POST' && !path.startsWith('/da') ? path : `GET ${path}`;
}

/** The key in a GetMetadata body; empty without a key. */
export function metadataKey(body: string): string {
  try {
    return (JSON.parse(body) as { key?: string }).key ?? '';
  } catch {
    return '';
  }
}

function readLines(name: string): string[] {
  return brotliDecompressSync(readFileSync(new URL(name, FIXTURES)))
    .toString('utf8')
    .trimEnd()
    .split('\n');
}

/** Indexes the lines of one recorded node by request. */
export function indexRecording(startMs: number, raws: readonly RawLine[]): Recording {
  const lines = new Map<string, RecordedLine[]>();
  const blocks = new Map<bigint, RecordedBlock>();
  let lengthMs = 0;
  for (const raw of raws) {
    const key = requestKey(raw.method, raw.path, JSON.stringify(raw.request ?? {}));
    const line: RecordedLine = { t: raw.t };
    if (raw.status !== undefined) {
      line.answer = { status: raw.status, type: raw.type ?? '', body: Buffer.from(raw.body ?? '') };
      if (raw.path.endsWith('/GetBlock')) {
        noteBlock(blocks, raw);
      }
    }
    const list = lines.get(key) ?? [];
    lines.set(key, list);
    list.push(line);
    lengthMs = Math.max(lengthMs, raw.t);
  }
  for (const list of lines.values()) {
    list.sort((a, b) => a.t - b.t);
  }
  return {
    startMs,
    lengthMs,
    lines,
    blocks: [...blocks.values()].sort((a, b) => (a.height < b.height ? -1 : 1)),
  };
}

function noteBlock(blocks: Map<bigint, RecordedBlock>, raw: RawLine): void {
  const { block } = JSON.parse(raw.body ?? '{}') as {
    block: {
      header: { header: { height: string; time: string; lastHeaderHash?: string } };
      data: { metadata: { lastDataHash?: string } };
    };
  };
  const { height, time, lastHeaderHash = '' } = block.header.header;
  const known = blocks.get(BigInt(height));
  blocks.set(BigInt(height), {
    height: BigInt(height),
    seenAt: Math.min(raw.t, known?.seenAt ?? raw.t),
    time,
    lastHeaderHash,
    lastDataHash: block.data.metadata.lastDataHash ?? '',
  });
}
