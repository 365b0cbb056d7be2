import { parse } from 'csv-parse/sync';
import { parseInstantText } from '../../domain/instant-text.js';
import { toPrintable } from '../../domain/printable-text.js';
import { millisToMicros } from '../../domain/time.js';
import { messageOf, UserError } from '../../platform/errors.js';
import { separatorOf } from './fee-file.js';
import type { PriceWish } from './price-wish.js';

/** In bytes. */
export const LARGEST_PRICE_FILE = 1_000_000;
const SHOWN_FAULTS = 10;

const MOMENTS = ['from', 'date', 'time', 'effective_from'];
const CURRENCY = /^[A-Z]{3}$/;

interface PriceColumns {
  readonly moment: number;
  readonly gasPrice: number | undefined;
  readonly fiat: { readonly index: number; readonly unit: string } | undefined;
}

/**
 * Reads a file of prices: a header, then one moment per line with the prices that apply from then on. An empty field leaves a
 * price unchanged. The separator is a comma, semicolon or tab, whichever the header has; if it is not a comma, decimals may
 * follow a comma.
 * @throws UserError that names what cannot be read
 */
export function readPriceFile(text: string): PriceWish[] {
  const delimiter = separatorOf(text.replace(/^\ufeff/, '').split(/\r?\n|\r/, 1)[0] ?? '');
  const [header = [], ...records] = readRecords(text, delimiter);
  const columns = findColumns(header);
  const faults: string[] = [];
  const wishes = records.flatMap((record, index): PriceWish[] => {
    const field = (at: number | undefined): string => (at === undefined ? '' : (record[at] ?? ''));
    const amount = (at: number | undefined): string =>
      delimiter === ',' ? field(at) : field(at).replace(/^(\d+),(\d+)$/, '$1.$2');
    const moment = parseInstantText(field(columns.moment));
    const [gasPrice, rate] = [amount(columns.gasPrice), amount(columns.fiat?.index)];
    if (moment === undefined) {
      faults.push(
        `${index + 1}: ${JSON.stringify(field(columns.moment).slice(0, 40))} is not a time, such as 2026-03-01`,
      );
      return [];
    }
    if (gasPrice === '' && rate === '') return [];
    return [
      {
        effectiveFrom: millisToMicros(Date.parse(moment)),
        ...(gasPrice !== '' && { gasPrice }),
        ...(rate !== '' && columns.fiat && { fiat: { unit: columns.fiat.unit, perTia: rate } }),
      },
    ];
  });
  if (faults.length > 0) {
    const more = faults.length > SHOWN_FAULTS ? `; and ${faults.length - SHOWN_FAULTS} more` : '';
    throw refusal(
      `Rows that cannot be read: ${toPrintable(faults.slice(0, SHOWN_FAULTS).join('; '))}${more}.`,
    );
  }
  return wishes;
}

function readRecords(text: string, delimiter: string): string[][] {
  try {
    return parse(text, {
      bom: true,
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    throw refusal(`The file cannot be read as CSV: ${toPrintable(messageOf(error))}`);
  }
}

function findColumns(header: readonly string[]): PriceColumns {
  const moment = header.findIndex((name) => MOMENTS.includes(name.toLowerCase()));
  const gasPrice = header.findIndex((name) => name.toLowerCase() === 'gas_price');
  const units = header.flatMap((unit, index) => (CURRENCY.test(unit) ? [{ index, unit }] : []));
  const [fiat, another] = units;
  if (moment === -1 || (gasPrice === -1 && fiat === undefined) || another !== undefined) {
    throw refusal(
      `The first line must name the columns: from, and gas_price (utia per gas), or one currency such as EUR (the value of a TIA), or both. It has ${toPrintable(header.slice(0, 20).join(', '), 200)}.`,
    );
  }
  return { moment, gasPrice: gasPrice === -1 ? undefined : gasPrice, fiat };
}

function refusal(problem: string): UserError {
  return new UserError(problem, 'Nothing was recorded. Correct the file and import it again.', 2);
}
