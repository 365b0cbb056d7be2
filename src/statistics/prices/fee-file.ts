import type { ImportedFee } from '../../domain/events.js';
import { toPrintable } from '../../domain/printable-text.js';
import { UserError } from '../../platform/errors.js';
import { matchColumns, readCsvFile, type CsvFile, type CsvRecord } from './csv-file.js';
import { readFee, readHeight, readNamespace, readTransaction, type ParsedField } from './fee-fields.js';

export interface FeeLine {
  readonly line: number;
  readonly fee: ImportedFee;
}

export type FeeFile = CsvFile<FeeLine>;

/** About 500 bytes of memory each. */
const MOST_FEES = 4_000_000;

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
 * Reads a file of fees: a header, then one fee per line. If the separator is not a comma, decimals may follow a comma.
 *
 * @param file its text, or pieces of it
 * @throws UserError if the file is not CSV, its header lacks a required column, or a line or the file is too large
 */
export function readFeeFile(file: string | AsyncIterable<string | Uint8Array>): Promise<FeeFile> {
  return readCsvFile<FeeLine>(file, {
    mostRows: MOST_FEES,
    nameColumns,
    read: (record, { line, hasDecimalCommas }) => {
      const fee = readLine(record, hasDecimalCommas);
      return typeof fee === 'string' ? fee : { line, fee };
    },
    refuse,
  });
}

/** @throws UserError if the height or the fee is missing, or a column occurs twice */
function nameColumns(header: readonly string[]): (string | false)[] {
  const columns = matchColumns(header, NAMES, refuse);
  if (!columns.includes('height')) throw lacking('DA height', NAMES.height, header);
  if (columns.includes('utia') || columns.includes('tia')) return columns;
  throw lacking('fee', [...NAMES.utia, ...NAMES.tia], header);
}

function lacking(what: string, names: readonly string[], header: readonly string[]): UserError {
  const found = header.slice(0, 20).map((name) => toPrintable(name, 40));
  return refuse(
    `The file has no column for the ${what}; its first line has ${found.join(', ')}.`,
    `Call the column one of ${names.join(', ')}.`,
  );
}

function refuse(problem: string, remedy: string): UserError {
  return new UserError(problem, `Nothing was imported. ${remedy}`);
}

/** The fee of a line, or everything that is wrong with it. */
function readLine(record: CsvRecord, hasDecimalCommas: boolean): ImportedFee | string {
  const unit = record['utia'] === undefined ? 'TIA' : 'utia';
  const amount = record['utia'] ?? record['tia'] ?? '';
  const daHeight = readHeight(record['height'] ?? '');
  const namespace = readNamespace(record['namespace'] ?? '', record['version']);
  const tx = readTransaction(record['tx'] ?? '');
  const fee = readFee(hasDecimalCommas ? withPoint(amount, unit) : amount, unit);
  if (isRead(daHeight) && isRead(namespace) && isRead(tx) && isRead(fee)) {
    return { daHeight: daHeight.value, namespace: namespace.value, tx: tx.value, fee: fee.value };
  }
  return [daHeight, namespace, tx, fee].flatMap((one) => (isRead(one) ? [] : [one.fault])).join('; ');
}

/**
 * Replaces the comma of `0,000761` by a point. In a whole number, three digits after a comma may be thousands, so the comma
 * stays and becomes a fault.
 */
function withPoint(amount: string, unit: 'utia' | 'TIA'): string {
  const decimal = unit === 'TIA' ? /^(\d+),(\d+)/ : /^(\d+),(0{1,2})(?!\d)/;
  return amount.replace(decimal, '$1.$2');
}

function isRead<T>(field: ParsedField<T>): field is { readonly value: T } {
  return 'value' in field;
}
