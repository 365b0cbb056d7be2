import { formatTime } from '../../domain/time.js';
import type { DaBlock } from './da-chain.js';
import type { IncludedTransaction } from './da-transaction.js';

interface Page {
  readonly isAscending: boolean;
  /** From 1 on. */
  readonly page: number;
  readonly limit: number;
}

interface Indexed {
  readonly block: DaBlock;
  readonly transaction: IncludedTransaction;
}

/** The answer to `/cosmos/tx/v1beta1/txs`: transactions whose event `key` names the account. */
export function describeTransactions(
  blocks: Iterable<DaBlock>,
  key: string,
  address: string,
  { isAscending, page, limit }: Page,
): object {
  const found: Indexed[] = [];
  for (const block of blocks) {
    for (const transaction of block.transactions) {
      if (namesAccount(transaction, key, address)) found.push({ block, transaction });
    }
  }
  if (!isAscending) found.reverse();
  const shown = found.slice((page - 1) * limit, page * limit);
  return {
    txs: shown.map(({ transaction }) => describeTx(transaction)),
    tx_responses: shown.map(describeResponse),
    pagination: null,
    total: String(found.length),
  };
}

function namesAccount(
  { signer, payer, message }: IncludedTransaction,
  key: string,
  address: string,
): boolean {
  switch (key) {
    case 'message.sender':
      return signer === address;
    case 'tx.fee_payer':
      return payer === address;
    case 'transfer.recipient':
      return message.kind === 'transfer' && message.to === address;
    default:
      return false;
  }
}

function describeTx({ signer, payer, sequence, gasLimit, feeUtia, message }: IncludedTransaction): object {
  return {
    body: {
      messages: [describeMessage(signer, message)],
      memo: '',
      timeout_height: '0',
      extension_options: [],
      non_critical_extension_options: [],
    },
    auth_info: {
      signer_infos: [
        { public_key: null, mode_info: { single: { mode: 'SIGN_MODE_DIRECT' } }, sequence: String(sequence) },
      ],
      fee: {
        amount: [coin(feeUtia)],
        gas_limit: String(gasLimit),
        payer: '',
        granter: payer === signer ? '' : payer,
      },
      tip: null,
    },
    signatures: [],
  };
}

function describeMessage(signer: string, message: IncludedTransaction['message']): object {
  if (message.kind === 'transfer') {
    return {
      '@type': '/cosmos.bank.v1beta1.MsgSend',
      from_address: signer,
      to_address: message.to,
      amount: [coin(message.utia)],
    };
  }
  const toBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
  return {
    '@type': '/celestia.blob.v1.MsgPayForBlobs',
    signer,
    namespaces: message.blobs.map(({ namespace }) => toBase64(namespace)),
    blob_sizes: message.blobs.map(({ data }) => data.length),
    share_commitments: message.blobs.map(({ commitment }) => toBase64(commitment)),
    share_versions: message.blobs.map(() => 0),
  };
}

function describeResponse({ block, transaction }: Indexed): object {
  const { height, hash, gasLimit, fails, signer, payer, feeUtia, message } = transaction;
  const event = (type: string, attributes: Record<string, string>) => ({
    type,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value, index: true })),
  });
  const isTransfer = message.kind === 'transfer' && fails !== true;
  return {
    height: String(height),
    txhash: hash,
    codespace: fails ? 'sdk' : '',
    code: fails ? 11 : 0,
    data: '',
    raw_log: fails ? 'out of gas in location: WriteFlat; gasWanted: 0, gasUsed: 0: out of gas' : '',
    logs: [],
    info: '',
    gas_wanted: String(gasLimit),
    gas_used: String((gasLimit * 83n) / 100n),
    tx: { '@type': '/cosmos.tx.v1beta1.Tx', ...describeTx(transaction) },
    timestamp: formatTime(block.timeNs, 0),
    events: [
      event('coin_spent', { spender: payer, amount: `${feeUtia}utia` }),
      event('tx', { fee: `${feeUtia}utia`, fee_payer: payer }),
      event('message', { sender: signer }),
      ...(isTransfer
        ? [event('transfer', { recipient: message.to, sender: signer, amount: `${message.utia}utia` })]
        : []),
    ],
    signers: [],
  };
}

function coin(utia: bigint): object {
  return { denom: 'utia', amount: String(utia) };
}
