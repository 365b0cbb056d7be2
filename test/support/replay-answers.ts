import { parseBlockRequest, type ConnectError } from './connect-request.js';
import { formatNanoseconds } from '../../src/domain/node-interface/go-time.js';
import {
  metadataKey,
  requestKey,
  type RecordedBlock,
  type RecordedLine,
  type Recording,
} from './recording.js';

/** A request to a replay. */
export interface ReplayRequest {
  method: string;
  contentType: string;
  path: string;
  body: string;
}

interface Answer {
  status: number;
  type: string;
  body: Buffer;
}

/** Answers that are constant for a node's life, so a failed request of the recorder does not matter. */
const CONSTANT = /\/(GetNamespace|GetSignerInfo|GetNetInfo|GetGenesisDaHeight)$/;
const PREFIX = '/evnode.v1.';
const CONNECT_METHODS = [
  ...['GetBlock', 'GetState', 'GetMetadata', 'GetGenesisDaHeight', 'GetP2PStoreInfo'].map(
    (name) => `${PREFIX}StoreService/${name}`,
  ),
  ...['GetNamespace', 'GetSignerInfo'].map((name) => `${PREFIX}ConfigService/${name}`),
  ...['GetNetInfo', 'GetPeerInfo'].map((name) => `${PREFIX}P2PService/${name}`),
];

/** The answer at `t`, or undefined when the connection was, or would have been, dropped. */
export function findAnswer(
  recording: Recording,
  t: number,
  { method, contentType, path, body }: ReplayRequest,
): Answer | undefined {
  const list = lastLine(recording.lines.get('GET /da/submissions') ?? [], t);
  if (!list?.answer) {
    return undefined;
  }
  const isConnect = CONNECT_METHODS.includes(path);
  if (isConnect && method !== 'POST') {
    return { status: 405, type: '', body: Buffer.alloc(0) };
  }
  if (isConnect && !contentType.startsWith('application/json')) {
    return { status: 415, type: '', body: Buffer.alloc(0) };
  }
  if (path.endsWith('/GetBlock') && isConnect) {
    return findBlock(recording, t, body);
  }
  const lines = recording.lines.get(requestKey(method, path, body));
  if (lines) {
    const line = CONSTANT.test(path) ? lastAnswered(lines, t) : lastLine(lines, t);
    return line?.answer;
  }
  return madeUpAnswer(recording, t, path, body);
}

/** Answers to requests that the recorder never sent, in the form of the same node's other answers. */
function madeUpAnswer(recording: Recording, t: number, path: string, body: string): Answer {
  if (path === `${PREFIX}StoreService/GetMetadata`) {
    const key = metadataKey(body);
    const message = `failed to get metadata for key '${key}': datastore: key not found`;
    return refusal({ status: 404, code: 'not_found', message });
  }
  if (path === `${PREFIX}StoreService/GetP2PStoreInfo`) {
    return {
      status: 200,
      type: 'application/json',
      body: Buffer.from(JSON.stringify(storeInfo(recording, t))),
    };
  }
  if (path === `${PREFIX}P2PService/GetPeerInfo`) {
    return { status: 200, type: 'application/json', body: Buffer.from('{}') };
  }
  if (path === '/da/blob') {
    return {
      status: 400,
      type: 'text/plain; charset=utf-8',
      body: Buffer.from('Missing blob ID parameter\n'),
    };
  }
  return { status: 404, type: 'text/plain; charset=utf-8', body: Buffer.from('404 page not found\n') };
}

function findBlock(recording: Recording, t: number, body: string): Answer {
  const wanted = parseBlockRequest(body);
  if (wanted.kind === 'refused') {
    return refusal(wanted.error);
  }
  const prefix = 'failed to retrieve block data: ';
  if (wanted.kind === 'hash') {
    const hash = `[${[...wanted.hash].join(' ')}]`;
    const message = `${prefix}failed to load height from index failed to get height for hash ${hash}: datastore: key not found`;
    return refusal({ status: 500, code: 'internal', message });
  }
  const height = wanted.height === 0n ? blocksAt(recording, t).at(-1)?.height : wanted.height;
  const lines = recording.lines.get(`${PREFIX}StoreService/GetBlock ${height ?? ''}`) ?? [];
  // A recorder's line without an answer says nothing about the block once the node is up again.
  const answer = lines.findLast((line) => line.t <= t && line.answer)?.answer;
  const message = `${prefix}load block header: datastore: key not found`;
  return answer ?? refusal({ status: 500, code: 'internal', message });
}

function refusal(error: ConnectError): Answer {
  const body = Buffer.from(JSON.stringify({ code: error.code, message: error.message }));
  return { status: error.status, type: 'application/json', body };
}

function blocksAt(recording: Recording, t: number): RecordedBlock[] {
  return recording.blocks.filter((block) => block.seenAt <= t);
}

/** Head and tail of both P2P stores. A block's hashes are in its successor, so the last recorded block is left out. */
function storeInfo(recording: Recording, t: number): object {
  const blocks = blocksAt(recording, t);
  const describe = (block: RecordedBlock | undefined, field: 'lastHeaderHash' | 'lastDataHash') => {
    const next = block && recording.blocks.find(({ height }) => height === block.height + 1n);
    return (
      next &&
      block && {
        height: String(block.height),
        hash: next[field],
        time: formatNanoseconds(BigInt(block.time)),
      }
    );
  };
  const describeStore = (label: string, field: 'lastHeaderHash' | 'lastDataHash') => {
    const head = describe(blocks.at(-1), field) ?? describe(blocks.at(-2), field);
    return head ? { label, height: head.height, head, tail: describe(blocks[0], field) } : { label };
  };
  return {
    stores: [describeStore('Header Store', 'lastHeaderHash'), describeStore('Data Store', 'lastDataHash')],
  };
}

/** The last line at or before `t`. */
function lastLine(lines: RecordedLine[], t: number): RecordedLine | undefined {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.t ?? Infinity) <= t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return lines[low - 1];
}

function lastAnswered(lines: RecordedLine[], t: number): RecordedLine | undefined {
  return lines.findLast((line) => line.t <= t && line.answer) ?? lines.find((line) => line.answer);
}
