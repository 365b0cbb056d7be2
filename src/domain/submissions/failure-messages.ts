// The texts of ev-node, celestia-node, celestia-app, the Cosmos SDK and go-jsonrpc, as their sources have them.

/** Where these texts carry the code of an ABCI error; the first group of each pattern is the code. */
const CODED = [
  // A client of the SDK; codes of other codespaces mean something else.
  /\bcodespace:? '?(?:sdk|blob|app)'?,? code:? ?(\d+)/i,
  // celestia-app's client: the log comes first and may hold anything.
  /\bbroadcast tx error: .* code: (\d+)\s*$/im,
  /\btx execution failed with code (\d+)/i,
  /\brejected by the node with execution code: (\d+)/i,
];

/** The code of every error without a code of its own. */
const INTERNAL = 1;

/** Texts that are more specific than their code, or whose code belongs to another codespace that the text omits. */
const BEFORE_CODES = [
  [/does not allow to pay fees|fee-grant not found|codespace:? '?feegrant/i, 'FEE_GRANT_REFUSED'],
  [/not enough gas to pay for blobs/i, 'OUT_OF_GAS'],
  // Code 19 means "out of funds, or stuck" in the specification of the node's interface.
  [/\bcode:? ?19\b.*insufficient funds/i, 'OUT_OF_FUNDS'],
] as const;

/** The first match counts. An HTTP status is read only where the text calls it one: heights are numbers too. */
const WORDS = [
  // gRPC is what the DA node speaks with its consensus node; the node itself speaks JSON-RPC with the DA node.
  [/code = unavailable|error while dialing|core endpoint|without state access|core\.ip/i, 'CORE_UNREACHABLE'],
  [
    /insufficient ((global|validator|estimated) )?(minimum )?(fees?|gas price)|fee too low|required fee|gas price (too low|exceeds)|min(imum)?[- _]gas[- _]price/i,
    'FEE_TOO_LOW',
  ],
  [/insufficient (funds|balance)|spendable balance|out of funds/i, 'OUT_OF_FUNDS'],
  [/\baccount (for signer )?(\S+ )?(not found|does not exist)|unknown address/i, 'ACCOUNT_NOT_FOUND'],
  [/account sequence|sequence mismatch|incorrect (account )?sequence|nonce too/i, 'SEQUENCE_MISMATCH'],
  [/already (exists )?in (the )?mempool|tx already (exists|in)/i, 'IN_MEMPOOL_ALREADY'],
  [/mempool is full/i, 'MEMPOOL_FULL'],
  [/out of gas|insufficient gas\b/i, 'OUT_OF_GAS'],
  [
    /not included in (a )?block|timed out waiting for tx|was evicted|not found in (tx client )?txtracker|transaction with hash \S+ not found|tx timeout height/i,
    'NOT_INCLUDED',
  ],
  [/over size limit|too (big|large)|larger than max|exceeds? (the )?(max|size|limit)/i, 'TOO_BIG'],
  [/too many requests|rate limit|resource ?exhausted|\bstatus:? (code:? )?429\b/i, 'DA_BUSY'],
  // A wrong key, chain id or account number: the SDK calls it unauthorized, but the token is not the problem.
  [/signature verification failed|pubkey does not match/i, 'DA_ERROR'],
  [
    /unauthori[sz]ed|forbidden|permission denied|missing permission|invalid token|\bstatus:? (code:? )?40[13]\b/i,
    'DA_UNAUTHORIZED',
  ],
  [
    /namespace|invalid (submit )?options|parse submit options|unmarshal.*(options|txconfig)|keyring|bech32/i,
    'BAD_NAMESPACE',
  ],
  [/height.*(from|in) the future|from future|height exceeds (network|local) head/i, 'DA_BEHIND'],
  [
    /connection refused|no such host|no route to host|network is unreachable|dial tcp|cannot assign|bad handshake|x509:|tls: /i,
    'DA_UNREACHABLE',
  ],
  [/panic|nil pointer|runtime error/i, 'NODE_PANIC'],
  [/deadline|time[d ]?[- ]?out/i, 'TIMED_OUT'],
  [/context cancell?ed|shutting down/i, 'CANCELED'],
  [
    /websocket|connection (closed|reset|lost)|closed network connection|broken pipe|\beof\b|unavailable|bad gateway|\bstatus:? (code:? )?50[234]\b/i,
    'DA_CONNECTION_LOST',
  ],
  // "method 'blob.Submit' not found" is about the method.
  [/\b(blob|header|height|shares?|namespace data)\b[^'"]*not found/i, 'NOT_FOUND'],
] as const;

type NamedCause = (typeof BEFORE_CODES | typeof WORDS)[number][1];

/** Codes of the codespaces `sdk` (below 100), `blob` and `app` (from 11,000 on). */
const CODES: ReadonlyMap<number, NamedCause> = new Map([
  [5, 'OUT_OF_FUNDS'],
  [9, 'ACCOUNT_NOT_FOUND'],
  [11, 'OUT_OF_GAS'],
  [13, 'FEE_TOO_LOW'],
  [19, 'IN_MEMPOOL_ALREADY'],
  [20, 'MEMPOOL_FULL'],
  [21, 'TOO_BIG'],
  [22, 'BAD_NAMESPACE'],
  [30, 'NOT_INCLUDED'],
  [32, 'SEQUENCE_MISMATCH'],
  [11110, 'BAD_NAMESPACE'],
  [11111, 'BAD_NAMESPACE'],
  [11117, 'BAD_NAMESPACE'],
  [11118, 'BAD_NAMESPACE'],
  [11119, 'BAD_NAMESPACE'],
  [11127, 'BAD_NAMESPACE'],
  [11136, 'BAD_NAMESPACE'],
  [11137, 'BAD_NAMESPACE'],
  [11138, 'TOO_BIG'],
  [11139, 'TOO_BIG'],
  [11142, 'TOO_BIG'],
  [111222, 'NODE_PANIC'],
]);

/** The cause of a code that is not known. */
const OTHER_CODE = 'DA_ERROR';

/**
 * The rules of {@link codeOfMessage} in the order in which they are tried, for a filter in SQL. Patterns ignore case and use only
 * what Postgres has, too.
 */
export const MESSAGE_RULES = {
  before: BEFORE_CODES,
  coded: CODED,
  internal: INTERNAL,
  codes: CODES,
  other: OTHER_CODE,
  words: WORDS,
} as const;

/**
 * The cause that a message names: by its code, which is more specific than words, else by its words. Undefined if neither
 * is known.
 */
export function codeOfMessage(message: string): NamedCause | undefined {
  const before = firstOf(BEFORE_CODES, message);
  if (before !== undefined) return before;
  const code = abciCodeOf(message);
  // The words next to an unknown code mislead: 4 is "unauthorized", and a matter of keys, not of tokens.
  if (code !== undefined && code !== INTERNAL) return CODES.get(code) ?? OTHER_CODE;
  return firstOf(WORDS, message);
}

function abciCodeOf(message: string): number | undefined {
  for (const form of CODED) {
    const digits = form.exec(message)?.[1];
    if (digits !== undefined) return Number(digits);
  }
  return undefined;
}

function firstOf(table: readonly (readonly [RegExp, NamedCause])[], message: string): NamedCause | undefined {
  return table.find(([words]) => words.test(message))?.[1];
}
