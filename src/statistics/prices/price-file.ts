import { PriceBook, readPrice } from '../../domain/cost/price-book.js';
import { parseInstantText } from '../../domain/instant-text.js';
import { toPrintable } from '../../domain/printable-text.js';
import { millisToMicros } from '../../domain/time.js';
import { UserError } from '../../platform/errors.js';
import { matchColumns, readCsvFile, type CsvRecord } from './csv-file.js';
import { MOST_PRICES, toRecordedPrices, type RequestedPrice } from './requested-price.js';

const NAMES = { from: ['from', 'date', 'time', 'effective_from'], gasPrice: ['gas_price'] };
const CURRENCY = /^[A-Z]{3}$/;

/**
 * Reads a file of prices: a header, then one moment per line with the prices that apply from then on. An empty field leaves a
 * price unchanged. If the separator is not a comma, decimals may follow a comma.
 *
 * @param file its text, or pieces of it
 * @throws UserError that names what cannot be read
 */
export async function readPriceFile(
  file: string | AsyncIterable<string | Uint8Array>,
): Promise<RequestedPrice[]> {
  const { rows, faults, faultCount } = await readCsvFile(file, {
    mostRows: MOST_PRICES,
    nameColumns,
    read: (record, { hasDecimalCommas }) => readLine(record, hasDecimalCommas),
    refuse,
  });
  if (faultCount === 0) return [...rows];
  const lines = faults.map(({ line, problem }) => `line ${line}: ${problem}`).join(' ');
  const more = faultCount > faults.length ? ` And ${faultCount - faults.length} more.` : '';
  throw refuse(`Rows that cannot be read: ${toPrintable(lines)}${more}`, 'Correct the file.');
}

/**
 * A currency is the name of its own column.
 * @throws UserError if a column is missing or occurs twice, or there are two currencies
 */
function nameColumns(header: readonly string[]): (string | false)[] {
  const known = matchColumns(header, NAMES, refuse);
  const columns = header.map((name, index) => known[index] || (CURRENCY.test(name) && name));
  const prices = columns.filter((column) => column !== false && column !== 'from');
  const currencies = prices.filter((column) => column !== 'gasPrice');
  if (columns.includes('from') && prices.length > 0 && currencies.length < 2) return columns;
  throw refuse(
    `The first line must name the columns: from, and gas_price (utia per gas), or one currency such as EUR (the value of a TIA), or both. It has ${toPrintable(header.slice(0, 20).join(', '), 200)}.`,
    'Correct the file.',
  );
}

/** The prices of a line, or everything that is wrong with it; undefined if it has no price. */
function readLine(record: CsvRecord, hasDecimalCommas: boolean): RequestedPrice | string | undefined {
  const amount = (text = ''): string => (hasDecimalCommas ? text.replace(/^(\d+),(\d+)$/, '$1.$2') : text);
  const { from = '', gasPrice: gas, ...rates } = record;
  const [[unit, rate] = ['', '']] = Object.entries(rates);
  const [gasPrice, perTia] = [amount(gas), amount(rate)];
  const moment = parseInstantText(from);
  if (moment === undefined) {
    return `${JSON.stringify(from.slice(0, 40))} is not a time, such as 2026-03-01.`;
  }
  if (gasPrice === '' && perTia === '') return undefined;
  const price = {
    effectiveFrom: millisToMicros(Date.parse(moment)),
    ...(gasPrice !== '' && { gasPrice }),
    ...(perTia !== '' && { fiat: { unit, perTia } }),
  };
  const read = toRecordedPrices([price], new PriceBook([])).map(readPrice);
  const problems = read.filter((entry) => typeof entry === 'string');
  return problems.length > 0 ? problems.join(' ') : price;
}

function refuse(problem: string, remedy: string): UserError {
  return new UserError(problem, `Nothing was recorded. ${remedy}`, 2);
}
