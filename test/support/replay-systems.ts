import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../src/platform/clock.js';
import { numberOf, OTHER_CHAIN, type RecordedRollup } from './recorded-rollup.js';

/** A call of JSON-RPC. */
interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A recorded program that answers JSON-RPC over a real socket. */
interface ReplayedRpc {
  readonly url: string;
  /** Answers that wait for the clock. */
  readonly held: number;
  close(): Promise<void>;
}

/** The body of an answer; undefined while the program was down; milliseconds to wait before it is asked again. */
type Answer = string | undefined | { readonly waitMs: number };

/** Serves answers that depend on the time since the start of the recording. */
async function serve(
  clock: Clock,
  startMs: number,
  answer: (t: number, call: Call, askedAt: number) => Answer,
): Promise<ReplayedRpc> {
  let held = 0;
  const respond = async (response: ServerResponse, text: string): Promise<void> => {
    const askedAt = clock.now() - startMs;
    const call = JSON.parse(text) as Call;
    let given = answer(askedAt, call, askedAt);
    while (typeof given === 'object') {
      held += 1;
      await clock.sleep(given.waitMs);
      held -= 1;
      given = answer(clock.now() - startMs, call, askedAt);
    }
    if (given === undefined) response.destroy();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(given);
  };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => void respond(response, text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get held() {
      return held;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const result = (value: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result: value });
const CLIENT = 'Geth/v1.17.5-stable/linux-amd64/go1.26.8';
const CHAIN_ID = '0x4d2';
/** The head of the other chain, which the right one did not reach. */
const OTHER_HEAD = 320n;

/**
 * Replays geth. The recorder asked for each new block once; a block is answered from then on as long as the head of the moment
 * reaches it. For heights of the other chain that nobody asked for, the nearest lower one is answered with another number.
 */
export function replayGeth(rollup: RecordedRollup, clock: Clock): Promise<ReplayedRpc> {
  const { geth, otherChain } = rollup;
  const right = new Map<bigint, string>();
  const other = new Map(otherChain);
  for (const { t, params, body } of geth.all('eth_getBlockByNumber')) {
    if (!String(params[0]).startsWith('0x')) continue;
    const isOther = t >= OTHER_CHAIN.from && t < OTHER_CHAIN.to;
    (isOther ? other : right).set(numberOf(body), body);
  }
  return serve(clock, rollup.startMs, (t, { method, params }) => {
    if (!geth.isUp(t)) return undefined;
    if (method === 'eth_chainId') return result(CHAIN_ID);
    if (method === 'web3_clientVersion') return result(CLIENT);
    const text = geth.last(t, 'eth_blockNumber');
    const head = BigInt((JSON.parse(text ?? '{"result":"0x0"}') as { result: string }).result);
    const number = params[0] === 'latest' ? head : BigInt(String(params[0]));
    if (number > head) return result(null);
    return head === OTHER_HEAD ? withNumber(nearest(other, number), number) : right.get(number);
  });
}

function nearest(blocks: ReadonlyMap<bigint, string>, number: bigint): string {
  const lower = [...blocks.keys()].filter((each) => each <= number);
  return blocks.get(lower.reduce((most, each) => (each > most ? each : most), 0n)) ?? result(null);
}

function withNumber(body: string, number: bigint): string {
  const block = JSON.parse(body) as { result: object };
  return JSON.stringify({ ...block, result: { ...block.result, number: `0x${number.toString(16)}` } });
}

/** The consensus node hung between these times, by the README; the recorder's balance then failed after 38 s. */
const HUNG = { from: 130_000, to: 185_684, failsAfterMs: 38_000 } as const;

/** Between two DA blocks of the recording. */
const USUAL_GAP_MS = 4_005;

interface Head {
  readonly height: bigint;
  readonly timeMs: number;
  readonly header: object;
}

/**
 * Replays celestia-node. The recorder asked for its head every 20 s and for `header.SyncState` every 3 s: heads between
 * recorded ones have the height of the latter, and a time in proportion.
 */
export function replayDaNode(rollup: RecordedRollup, clock: Clock): Promise<ReplayedRpc> {
  const { daNode } = rollup;
  const heads = daNode.all('header.LocalHead').map(({ body }) => readHead(body));
  const syncHeight = (t: number): bigint => {
    const { height } = (
      JSON.parse(daNode.last(t, 'header.SyncState') ?? '') as { result: { height: number } }
    ).result;
    return BigInt(height);
  };
  return serve(clock, rollup.startMs, (t, { method }, askedAt) => {
    if (!daNode.isUp(t)) return undefined;
    switch (method) {
      case 'header.LocalHead':
        return result(headAt(heads, syncHeight(t)));
      case 'state.AccountAddress':
        return result(rollup.account);
      case 'state.BalanceForAddress': {
        const isHung = askedAt >= HUNG.from && t < HUNG.to;
        const until = Math.min(askedAt + HUNG.failsAfterMs, HUNG.to);
        if (isHung && t < until) return { waitMs: until - t };
        // The recorded failure came later than that of a request of this moment.
        return isHung ? daNode.last(HUNG.to - 1, 'state.Balance') : daNode.last(t, 'state.Balance');
      }
      default:
        return daNode.last(t, method);
    }
  });
}

function readHead(body: string): Head {
  const { result: head } = JSON.parse(body) as {
    result: { header: { height: string; time: string } };
  };
  return { height: BigInt(head.header.height), timeMs: Date.parse(head.header.time), header: head };
}

function headAt(heads: readonly Head[], height: bigint): object {
  const before = heads.findLast((each) => each.height <= height) ?? heads[0];
  const after = heads.find((each) => each.height > height);
  if (before === undefined) throw new Error('no recorded head');
  if (before.height === height) return before.header;
  const gapMs = after ? (after.timeMs - before.timeMs) / Number(after.height - before.height) : USUAL_GAP_MS;
  const time = new Date(before.timeMs + Number(height - before.height) * gapMs).toISOString();
  const { header } = before.header as { header: object };
  return { ...before.header, header: { ...header, height: String(height), time } };
}
