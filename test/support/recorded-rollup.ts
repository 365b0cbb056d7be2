import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { readExchanges } from './recorded-exchanges.js';
import { indexRecording, type RawLine, type Recording } from './recording.js';

/** A line of the recording of three programs: an answer, or an error instead. */
interface RunLine extends RawLine {
  readonly who?: 'ev-node' | 'geth' | 'celestia-node' | 'consensus node';
  readonly request?: { readonly method: string; readonly params: readonly unknown[] };
}

/** The answers of a JSON-RPC server over the recording. */
class RecordedRpc {
  private readonly lines: readonly RunLine[];

  constructor(lines: readonly RunLine[], who: RunLine['who']) {
    this.lines = lines.filter((line) => line.who === who);
  }

  /** Whether the program answered at `t`, by the last request of the recorder. */
  isUp(t: number): boolean {
    return this.lines.findLast((line) => line.t <= t)?.status !== undefined;
  }

  /** The last answer to a method at `t`; undefined before the first. */
  last(t: number, method: string): string | undefined {
    return this.all(method).findLast((line) => line.t <= t)?.body;
  }

  /** All answers to a method, with their times. */
  all(method: string): { t: number; params: readonly unknown[]; body: string }[] {
    return this.lines.flatMap(({ t, request, body }) =>
      request?.method === method && body !== undefined ? [{ t, params: request.params, body }] : [],
    );
  }
}

/** A transaction of the paying account, by the consensus node. */
interface TrueTransaction {
  readonly daHeight: bigint;
  readonly fee: bigint;
  /** utia that left the account besides the fee. */
  readonly sent: bigint;
}

/** A recorded rollup: its node, its execution layer, its DA node, and what the account truly paid. */
export interface RecordedRollup {
  readonly startMs: number;
  readonly lengthMs: number;
  readonly node: Recording;
  readonly geth: RecordedRpc;
  readonly daNode: RecordedRpc;
  readonly account: string;
  /** In the order of DA heights. */
  readonly transactions: readonly TrueTransaction[];
  /** Bodies of blocks of the other chain, by number; `BLOOM` stands for its zeros. */
  readonly otherChain: ReadonlyMap<bigint, string>;
}

/** The times of test/fixtures/execution-layer/README.md in which geth was the one of another chain. */
export const OTHER_CHAIN = { from: 450_000, to: 495_000 } as const;
const END_MS = 540_000;
const LIVE = { t: 0, method: 'GET', path: '/health/live', status: 200, type: 'text/plain', body: 'OK\n' };

/** Reads `evm-run.ndjson.br` and what belongs to it. */
export function loadRecordedRollup(): RecordedRollup {
  const file = new URL('../fixtures/execution-layer/evm-run.ndjson.br', import.meta.url);
  const text = brotliDecompressSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  const [first, ...lines] = text.map((line) => JSON.parse(line) as RunLine);
  const { startMs } = first as unknown as { startMs: number };
  const paid = lines.find(({ who, status }) => who === 'consensus node' && status === 200);
  const blocks = readExchanges('execution-layer/other-chain.ndjson').map(
    ({ response }) => [numberOf(response.body), response.body] as const,
  );
  return {
    startMs,
    lengthMs: END_MS,
    // The recorder did not ask for liveness.
    node: indexRecording(startMs, [LIVE, ...withInclusion(lines.filter(({ who }) => who === 'ev-node'))]),
    geth: new RecordedRpc(lines, 'geth'),
    daNode: new RecordedRpc(lines, 'celestia-node'),
    account: /sender='(\w+)'/.exec(paid?.path ?? '')?.[1] ?? '',
    transactions: readTransactions(paid?.body ?? ''),
    otherChain: new Map(blocks),
  };
}

interface NodeBlock {
  readonly block: { readonly header: { readonly header: { readonly height: string } } };
  readonly headerDaHeight?: string;
}

/**
 * The recorder asked for no more than the newest blocks again. The others are shown as included when it saw a later block so; their
 * DA heights follow from the rows, each of which has a blob for every block after the one before. This agrees with each of
 * the 119 blocks whose inclusion was recorded.
 */
function withInclusion(lines: readonly RunLine[]): RawLine[] {
  const posted = daHeights(lines);
  const blocks = lines.flatMap((line) => {
    if (!line.path.endsWith('/GetBlock') || line.body === undefined) return [];
    const block = JSON.parse(line.body) as NodeBlock;
    return [{ line, block, height: Number(block.block.header.header.height) }];
  });
  const included = blocks.filter(({ block }) => block.headerDaHeight !== undefined);
  const made = blocks.flatMap(({ line, block, height }): RawLine[] => {
    const daHeight = posted[height - 1];
    const later = included.find((other) => other.height >= height);
    if (daHeight === undefined || later === undefined || later.height === height) return [];
    const body = JSON.stringify({ ...block, headerDaHeight: daHeight, dataDaHeight: daHeight });
    return [{ ...line, t: later.line.t, body }];
  });
  return [...lines, ...made];
}

interface NodeRow {
  readonly id: string;
  readonly height: number;
  readonly status_code: string;
  readonly num_blobs: number;
}

/** The DA height of each block, from block 1 on. */
function daHeights(lines: readonly RunLine[]): string[] {
  const rows = new Map<string, NodeRow>();
  for (const { path, body } of lines) {
    if (path !== '/da/submissions' || body === undefined) continue;
    const list = (JSON.parse(body) as { submissions: readonly NodeRow[] | null }).submissions ?? [];
    for (const row of list) if (row.status_code === 'Success') rows.set(row.id, row);
  }
  return [...rows.values()]
    .toSorted((a, b) => a.height - b.height)
    .flatMap(({ height, num_blobs: count }) => Array.from({ length: count }, () => String(height)));
}

/** The number of a block, from the body of an answer. */
export function numberOf(body: string): bigint {
  return BigInt((JSON.parse(body) as { result: { number: string } }).result.number);
}

interface RawTransaction {
  readonly height: string;
  readonly tx_result: {
    readonly events: readonly {
      readonly type: string;
      readonly attributes: readonly { readonly key: string; readonly value: string }[];
    }[];
  };
}

function readTransactions(body: string): TrueTransaction[] {
  const { result } = JSON.parse(body) as { result: { txs: readonly RawTransaction[] } };
  return result.txs.map(({ height, tx_result: { events } }) => {
    const amounts = (type: string, key: string): bigint[] =>
      events
        .filter((event) => event.type === type)
        .flatMap(({ attributes }) => attributes.filter((each) => each.key === key))
        .map(({ value }) => BigInt(value.replace(/utia$/, '')));
    const [fee = 0n] = amounts('tx', 'fee');
    const spent = amounts('coin_spent', 'amount').reduce((sum, amount) => sum + amount, 0n);
    return { daHeight: BigInt(height), fee, sent: spent - fee };
  });
}
