import { toPrintable } from '../../domain/printable-text.js';
import { UserError } from '../../platform/errors.js';

/** Indexes of the columns in a line, from 0. */
export interface FeeColumns {
  readonly height: number;
  readonly fee: number;
  /** Whether `fee` is in TIA, not utia. */
  readonly isTia: boolean;
  readonly namespace: number | undefined;
  /** Version of the namespace, if it has its own column. */
  readonly version: number | undefined;
  readonly tx: number | undefined;
}

/** Names that exports use for the columns, the most reliable first. */
const NAMES = {
  height: ['da_height', 'height', 'block_height', 'level'],
  namespace: ['namespace', 'namespace_id', 'namespace_hash'],
  version: ['namespace_version', 'version'],
  tx: ['tx', 'tx_hash', 'txhash', 'transaction', 'transaction_hash', 'hash'],
  utia: ['fee_utia', 'fee', 'tx_fee'],
  tia: ['fee_tia', 'tx_fee_tia'],
} as const;

/**
 * Finds the columns by name, ignoring case; other columns may come in between.
 * @throws UserError if the height or the fee is missing, or a column occurs twice
 */
export function findColumns(header: readonly string[]): FeeColumns {
  const names = header.map((name) =>
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, ''),
  );
  const find = (wanted: readonly string[]): number | undefined => {
    const name = wanted.find((candidate) => names.includes(candidate));
    if (name === undefined) return undefined;
    if (names.indexOf(name) !== names.lastIndexOf(name)) {
      throw new UserError(`The file has two columns called ${name}.`, 'Nothing was imported. Leave one out.');
    }
    return names.indexOf(name);
  };
  const height = find(NAMES.height);
  const utia = find(NAMES.utia);
  const fee = utia ?? find(NAMES.tia);
  if (height === undefined) throw lacking('DA height', NAMES.height, header);
  if (fee === undefined) throw lacking('fee', [...NAMES.utia, ...NAMES.tia], header);
  return {
    height,
    fee,
    isTia: utia === undefined,
    namespace: find(NAMES.namespace),
    version: find(NAMES.version),
    tx: find(NAMES.tx),
  };
}

function lacking(what: string, names: readonly string[], header: readonly string[]): UserError {
  const found = header.slice(0, 20).map((name) => toPrintable(name, 40));
  return new UserError(
    `The file has no column for the ${what}; its first line has ${found.join(', ')}.`,
    `Nothing was imported. Call the column one of ${names.join(', ')}.`,
  );
}
