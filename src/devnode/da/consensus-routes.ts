import { formatNanoseconds } from '../../domain/node-interface/go-time.js';
import { jsonAnswer, type DevnodeAnswer, type NodeRequest } from '../http-server.js';
import { refuseAddress } from './bech32.js';
import { describeBlock } from './da-header.js';
import type { DaView } from './da-view.js';
import { describeTransactions } from './consensus-transactions.js';

/** A request that the consensus node refuses: an HTTP status, and gRPC's code and text. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    /** The height whose state was opened before; undefined if the request did not get that far. */
    readonly height?: bigint,
  ) {
    super(message);
  }
}

type Route = (view: DaView, match: readonly string[], query: URLSearchParams, height: bigint) => object;

const BANK = '/cosmos/bank/v1beta1';
const ROUTES: readonly (readonly [path: RegExp, answer: Route])[] = [
  [new RegExp(`^${BANK}/(?:spendable_)?balances/([^/]+)/by_denom$`), balanceInDenom],
  [new RegExp(`^${BANK}/(?:spendable_)?balances/([^/]+)$`), allBalances],
  [/^\/cosmos\/auth\/v1beta1\/accounts\/([^/]+)$/, account],
  [
    /^\/cosmos\/base\/tendermint\/v1beta1\/blocks\/latest$/,
    ({ chain, chainId }) => describeBlock(chain.head, chainId),
  ],
  [/^\/cosmos\/base\/tendermint\/v1beta1\/syncing$/, () => ({ syncing: false })],
  [/^\/cosmos\/base\/node\/v1beta1\/status$/, status],
  [/^\/cosmos\/tx\/v1beta1\/txs$/, transactions],
];

/** Answers the REST paths of the consensus node (celestia-appd) for balances, accounts, blocks and transactions. */
export function answerConsensus(view: DaView, { method, path, query, headers }: NodeRequest): DevnodeAnswer {
  view.count(`${method} ${path}`);
  try {
    for (const [form, answer] of method === 'GET' ? ROUTES : []) {
      const match = form.exec(path);
      if (!match) continue;
      const height = heightOf(view, headers['x-cosmos-block-height']);
      const answered = jsonAnswer(answer(view, match.slice(1).map(decodeURIComponent), query, height));
      return { ...answered, headers: describeState(view, height) };
    }
    throw new Refusal(501, 12, 'Not Implemented');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status: httpStatus, code, message } = error;
    return {
      status: httpStatus,
      type: 'application/json',
      body: `{"code":${code}, "message":${JSON.stringify(message)}, "details":[]}`,
      headers: describeState(view, error.height),
    };
  }
}

function describeState(view: DaView, height?: bigint): Record<string, string> {
  return {
    'x-server-time': String(view.serverTime()),
    ...(height !== undefined && {
      'grpc-metadata-content-type': 'application/grpc+cosmos-sdk-grpc-codec',
      'grpc-metadata-x-cosmos-block-height': String(height),
    }),
  };
}

function heightOf({ chain }: DaView, header: string | string[] | undefined): bigint {
  if (typeof header !== 'string' || header === '0') return chain.head.height;
  if (!/^\d{1,18}$/.test(header))
    throw new Refusal(400, 3, `invalid height header "${header}": invalid request`);
  const height = BigInt(header);
  if (height > chain.head.height) {
    const text = 'invalid height: cannot query with height in the future; please provide a valid height';
    throw new Refusal(500, 2, `codespace sdk code 26: ${text}`);
  }
  if (height < chain.oldest.height) {
    const text = `failed to load state at height ${height}; version does not exist (latest height: ${chain.head.height})`;
    throw new Refusal(500, 2, `codespace sdk code 18: invalid request: ${text}`);
  }
  return height;
}

function balanceInDenom(
  { chain }: DaView,
  [address = '']: readonly string[],
  query: URLSearchParams,
  height: bigint,
) {
  const denom = query.get('denom') ?? '';
  if (denom === '') throw new Refusal(400, 3, 'invalid denom: ', height);
  requireAddress(address, height);
  const amount = denom === 'utia' ? chain.ledger.balanceOf(address, height) : 0n;
  return { balance: { denom, amount: String(amount) } };
}

function allBalances(
  { chain }: DaView,
  [address = '']: readonly string[],
  _: URLSearchParams,
  height: bigint,
) {
  requireAddress(address, height);
  const utia = chain.ledger.balanceOf(address, height);
  const balances = utia > 0n ? [{ denom: 'utia', amount: String(utia) }] : [];
  return { balances, pagination: { next_key: null, total: String(balances.length) } };
}

function account({ chain }: DaView, [address = '']: readonly string[], _: URLSearchParams, height: bigint) {
  requireAddress(address, height);
  if (!chain.ledger.isKnown(address, height))
    throw new Refusal(404, 5, `account ${address} not found`, height);
  return {
    account: {
      '@type': '/cosmos.auth.v1beta1.BaseAccount',
      address,
      pub_key: null,
      account_number: '7',
      sequence: String(chain.sequenceOf(address)),
    },
  };
}

function status({ chain: { head } }: DaView): object {
  return {
    earliest_store_height: '0',
    height: String(head.height),
    timestamp: formatNanoseconds(head.timeNs),
  };
}

/** One condition on one account, as monitors send it; pages as the Cosmos SDK counts them. */
function transactions(view: DaView, _: readonly string[], query: URLSearchParams, height: bigint): object {
  if (!view.hasIndex) throw new Refusal(500, 2, 'transaction indexing is disabled', height);
  const [, key, address] = /^([a-z_.]+)='([a-z0-9]+)'$/.exec(query.get('query') ?? '') ?? [];
  if (key === undefined || address === undefined) throw new Refusal(400, 3, 'query cannot be empty', height);
  const number = (name: string, fallback: number) => Math.max(1, Number(query.get(name)) || fallback);
  return describeTransactions(view.chain.kept(), key, address, {
    isAscending: query.get('order_by') !== 'ORDER_BY_DESC',
    page: number('page', 1),
    limit: Math.min(100, number('limit', 100)),
  });
}

function requireAddress(address: string, height: bigint): void {
  const reason = refuseAddress(address);
  if (reason !== undefined) throw new Refusal(400, 3, `invalid address: ${reason}`, height);
}
