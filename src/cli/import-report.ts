import type { FeeSurplus, UnplacedFee } from '../statistics/prices/fee-places.js';
import type { FeeImportResult } from '../statistics/prices/fee-importer.js';
import { toPrintable } from '../domain/printable-text.js';
import { toCount } from '../domain/work-rate.js';
import { alignCells } from '../platform/table.js';

/** Printed rows of a list. */
const SHOWN = 20;

export function printFaults({ faults, faultCount }: FeeImportResult): string {
  const rows = faults.map(({ line, problem }) => [`line ${line}`, problem]);
  return section(`${lines(faultCount)} cannot be used:`, rows, faultCount);
}

export function printImport(name: string, chain: string, result: FeeImportResult): string {
  const { rows, faultCount, added, corrected, alreadyKnown, unmatched, ambiguous } = result;
  const good = rows - faultCount;
  const head =
    `Imported ${toPrintable(name)} for ${toPrintable(chain)}: ${lines(good)}, ${toCount(added)} new, ` +
    `${toCount(corrected)} corrected, ${toCount(alreadyKnown)} known already.\n`;
  const fit =
    unmatched.length === 0 && ambiguous.length === 0 && good > 0 ? 'Each fee belongs to a submission.\n' : '';
  return (
    head +
    fit +
    section(
      `No submission matches ${lines(unmatched.length)}; the fees are kept, and count once a matching submission is recorded:`,
      unmatched.map(toUnmatchedRow),
      unmatched.length,
    ) +
    section(
      'More fees than submissions; the first of them count:',
      ambiguous.map(toCrowdedRow),
      ambiguous.length,
    )
  );
}

function toUnmatchedRow({ line, fee, reason }: UnplacedFee): string[] {
  return [`line ${line}`, `${fee.fee} utia`, reason, fee.tx === null ? '' : `tx ${fee.tx.slice(0, 16)}…`];
}

function toCrowdedRow({ daHeight, namespace, fees, submissions }: FeeSurplus): string[] {
  const where = namespace === null ? 'without a namespace' : `in namespace ${namespace}`;
  return [
    `DA height ${daHeight}`,
    `${toCount(fees)} fees`,
    `${toCount(submissions)} submissions left`,
    where,
  ];
}

function section(title: string, rows: readonly (readonly string[])[], total: number): string {
  if (total === 0) return '';
  const shown = alignCells(rows.slice(0, SHOWN)).map((line) => `  ${line}\n`);
  const rest = total > shown.length ? `  and ${toCount(total - shown.length)} more\n` : '';
  return `${title}\n${shown.join('')}${rest}`;
}

function lines(number: number): string {
  return number === 1 ? '1 line' : `${toCount(number)} lines`;
}
