import type { ImportedFeeEntity } from '../../tables/prices.entities.js';
import { SHOWN_FAULTS, type BadLine } from './csv-file.js';
import type { FeeFile, FeeLine } from './fee-file.js';

/**
 * Removes lines that contradict others about a transaction, which is at one DA height and pays one fee. (A line of a later file
 * may correct the fee.)
 *
 * @param known fees of the same transactions that were imported before
 */
export function dropContradictions(file: FeeFile, known: readonly ImportedFeeEntity[]): FeeFile {
  const heights = new Map(
    known.flatMap(({ txHash, daHeight }) => (txHash === null ? [] : [[txHash, String(daHeight)]])),
  );
  const first = new Map<string, FeeLine>();
  const faults: BadLine[] = [];
  const rows = file.rows.filter(({ line, fee }) => {
    if (fee.tx === null) return true;
    const other = first.get(fee.tx);
    const height = other?.fee.daHeight ?? heights.get(fee.tx) ?? fee.daHeight;
    const where = other === undefined ? 'an earlier import' : `line ${other.line}`;
    if (height !== fee.daHeight) {
      const problem = `${where} has the transaction at DA height ${height}, not ${fee.daHeight}`;
      faults.push({ line, problem });
    } else if (other !== undefined && other.fee.fee !== fee.fee) {
      faults.push({ line, problem: `${where} has the same transaction with a fee of ${other.fee.fee} utia` });
    } else if (other === undefined) {
      first.set(fee.tx, { line, fee });
    }
    return faults.at(-1)?.line !== line;
  });
  const all = [...file.faults, ...faults].toSorted((a, b) => a.line - b.line);
  return { rows, faults: all.slice(0, SHOWN_FAULTS), faultCount: file.faultCount + faults.length };
}
