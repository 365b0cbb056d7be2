import { EthError, type EthCall } from './eth-json-rpc.js';
import { ExecutionError, type ExecutionBlock } from './execution-chain.js';
import type { ShownChain } from './shown-chain.js';

/** The state of an execution layer that its methods read. */
export interface EthView {
  readonly shown: ShownChain;
  readonly chainId: number;
  /** Counts a call, for tests. */
  count(method: string): void;
}

interface EthMethod {
  /** The most parameters, and how many of them are required. */
  readonly most: number;
  readonly required: number;
  readonly run: (view: EthView, params: readonly unknown[]) => unknown;
}

const NO_PARAMETERS = { most: 0, required: 0 };
/** The distances at which ev-node sets the safe and the finalized block behind the head. */
const SAFE_BEHIND = 2n;
const FINALIZED_BEHIND = 3n;

const READS: Readonly<Record<string, EthMethod>> = {
  eth_chainId: { ...NO_PARAMETERS, run: ({ chainId }) => toHex(chainId) },
  eth_blockNumber: { ...NO_PARAMETERS, run: ({ shown }) => toHex(shown.head) },
  eth_syncing: { ...NO_PARAMETERS, run: ({ shown }) => (shown.head > 0n ? false : describeFresh()) },
  eth_getBlockByNumber: { most: 2, required: 2, run: getBlock },
};

const PUBLIC_ONLY: Readonly<Record<string, EthMethod>> = {
  web3_clientVersion: { ...NO_PARAMETERS, run: () => 'Geth/v1.17.5-devnode/linux-amd64/go1.26.8' },
  net_version: { ...NO_PARAMETERS, run: ({ chainId }) => String(chainId) },
};

const ENGINE_ONLY: Readonly<Record<string, EthMethod>> = {
  engine_getClientVersionV1: {
    most: 1,
    required: 1,
    run: () => [{ code: 'GE', name: 'go-ethereum', version: '1.17.5-devnode', commit: '0x00000000' }],
  },
};

/** The rig's own method, by which the rollup node executes a block. */
const EXECUTE: Readonly<Record<string, EthMethod>> = { dev_execute: { most: 1, required: 1, run: execute } };

/** The methods of a port. @param isTrusted whether the rollup node may execute here */
export function ethCallsOf(view: EthView, port: 'public' | 'engine', isTrusted: boolean): EthCall {
  const methods = {
    ...READS,
    ...(port === 'public' ? PUBLIC_ONLY : ENGINE_ONLY),
    ...(port === 'public' && isTrusted && EXECUTE),
  };
  return (name, params) => {
    view.count(name);
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!method) throw new EthError(-32601, `the method ${name} does not exist/is not available`);
    const { most, required, run } = method;
    if (params.length > most) throw new EthError(-32602, `too many arguments, want at most ${most}`);
    if (params.length > 0 || required > 0) requireParameters(name, params, required);
    return run(view, params);
  };
}

/** geth decodes one parameter after the other, and reports the first that is wrong or missing. */
function requireParameters(name: string, params: readonly unknown[], required: number): void {
  if (name === 'eth_getBlockByNumber' && params.length > 0) numberOf(params[0], 0n);
  if (params.length < required)
    throw new EthError(-32602, `missing value for required argument ${params.length}`);
}

function getBlock({ shown }: EthView, [which]: readonly unknown[]): object | null {
  const number = numberOf(which, shown.head);
  const block = number === undefined || number < 0n ? undefined : shown.find(number);
  if (which === 'safe' || which === 'finalized') {
    if (!block || block.number < 1n) throw new EthError(-32000, `${which} block not found`);
  }
  return block ? describeBlock(block, shown.find(block.number - 1n)) : null;
}

/** The number that a tag or a text names. */
function numberOf(which: unknown, head: bigint): bigint | undefined {
  switch (which) {
    case 'latest':
    case 'pending':
      return head;
    case 'safe':
      return head - SAFE_BEHIND;
    case 'finalized':
      return head - FINALIZED_BEHIND;
    case 'earliest':
      return 0n;
    default:
      if (typeof which !== 'string' || !which.startsWith('0x'))
        throw new EthError(-32602, 'invalid argument 0: hex string without 0x prefix');
      if (!/^0x(0|[1-9a-f][0-9a-f]{0,15})$/i.test(which))
        throw new EthError(-32602, 'invalid argument 0: invalid hex string');
      return BigInt(which);
  }
}

const EMPTY_TRIE = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const ZEROS = '0'.repeat(64);

/** A block as geth prints it since Prague, without its transactions. */
function describeBlock(block: ExecutionBlock, parent: ExecutionBlock | undefined): object {
  const { number, hash, parentHash, stateRoot, timestamp } = block;
  const isGenesis = number === 0n;
  return {
    baseFeePerGas: isGenesis ? '0x3b9aca00' : '0x7',
    blobGasUsed: '0x0',
    difficulty: '0x0',
    excessBlobGas: '0x0',
    extraData: isGenesis ? '0x' : '0xd883011105846765746888676f312e32362e38856c696e7578',
    gasLimit: '0x1c9c38000',
    gasUsed: '0x0',
    hash: `0x${hash}`,
    logsBloom: `0x${'0'.repeat(512)}`,
    miner: `0x${(isGenesis ? '0' : '1').repeat(40)}`,
    mixHash: `0x${number.toString(16).padStart(64, '0')}`,
    nonce: '0x0000000000000000',
    number: toHex(number),
    parentBeaconBlockRoot: `0x${ZEROS}`,
    parentHash: `0x${parent?.hash ?? parentHash}`,
    receiptsRoot: EMPTY_TRIE,
    requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    size: '0x281',
    stateRoot: `0x${stateRoot}`,
    timestamp: toHex(timestamp),
    transactions: [],
    transactionsRoot: EMPTY_TRIE,
    uncles: [],
    withdrawals: [],
    withdrawalsRoot: EMPTY_TRIE,
  };
}

/** `eth_syncing` of a geth that only has its genesis. */
function describeFresh(): object {
  const zero =
    'currentBlock healedBytecodeBytes healedBytecodes healedTrienodeBytes healedTrienodes healingBytecode healingTrienodes ' +
    'highestBlock startingBlock stateIndexRemaining syncedAccessLists syncedAccountBytes syncedAccounts syncedBytecodeBytes ' +
    'syncedBytecodes syncedStorage syncedStorageBytes totalAccessLists trieGenProgress trienodeIndexRemaining txIndexFinishedBlocks';
  return {
    ...Object.fromEntries(zero.split(' ').map((name) => [name, '0x0'])),
    txIndexRemainingBlocks: '0x1',
  };
}

function execute({ shown }: EthView, [payload]: readonly unknown[]): object {
  const { height, timestamp, previousStateRoot, dataHash } = payload as Record<string, unknown>;
  try {
    const { stateRoot } = shown.execute({
      height: BigInt(String(height)),
      timestamp: BigInt(String(timestamp)),
      previousStateRoot: String(previousStateRoot),
      dataHash: String(dataHash),
    });
    return { stateRoot };
  } catch (error) {
    if (error instanceof ExecutionError) throw new EthError(-32000, error.message);
    if (error instanceof SyntaxError) throw new EthError(-32602, 'invalid argument 0: not a payload');
    throw error;
  }
}

function toHex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}
