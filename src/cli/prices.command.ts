import { type Command, Option } from 'commander';
import { toPrintable } from '../domain/printable-text.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import type { PriceWish } from '../statistics/prices/price-wish.js';
import { COMMAND_LINE } from './command-line.js';
import { readMoment } from './moments.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

const HOW_TO_WRITE_TIMES =
  'Write it as 2026-03-01T00:00:00Z, or as a day, 2026-03-01, which begins at midnight of UTC.';

interface ListOptions extends SettingOptions {
  readonly chain?: string;
  readonly knownAt?: string;
}

interface SetOptions extends SettingOptions {
  readonly chain: string;
  readonly from: string;
  readonly gasPrice?: string;
  readonly fiat?: string;
  readonly gasPerShareByte?: string;
  readonly gasPerBlob?: string;
  readonly fixedGas?: string;
  readonly signer?: 'true' | 'false';
  readonly replace?: boolean;
  readonly note: string;
}

/** `hindsight prices list` and `set`: the price book, beside a running service or without one. */
export function define(prices: Command): void {
  prices.helpCommand(false);
  const list = prices
    .command('list', { isDefault: true })
    .description('show the price book')
    .option('--chain <ID>', 'of this chain; of all of them when left out')
    .option('--known-at <TIME>', 'as it was recorded at this time, like 2026-03-01T00:00:00Z');
  addDatabaseOptions(list).action(listPrices);
  const set = prices
    .command('set')
    .description('set prices from a moment on; what is not named stays as it was')
    .requiredOption('--chain <ID>', 'the chain')
    .requiredOption('--from <TIME>', 'from when they hold: a time, a day of UTC, now, or beginning')
    .option('--gas-price <UTIA>', 'utia per gas, like 0.002')
    .option('--fiat <UNIT=AMOUNT>', 'what a TIA is worth, like EUR=1.23')
    .option('--gas-per-share-byte <GAS>', 'gas for each byte of a share')
    .option('--gas-per-blob <GAS>', 'gas for each blob')
    .option('--fixed-gas <GAS>', 'gas for each transaction')
    .addOption(
      new Option('--signer <true|false>', 'whether blobs name their signer').choices(['true', 'false']),
    )
    .option('--replace', 'change what was charged already: before the newest entry, or in the place of one')
    .option('--note <TEXT>', 'where the figures are from', 'set by command');
  addDatabaseOptions(set).action(setPrices);
}

async function listPrices(options: ListOptions): Promise<void> {
  const { chain, knownAt } = options;
  const us = knownAt === undefined ? undefined : readMoment('--known-at', knownAt, HOW_TO_WRITE_TIMES);
  const { EventStore } = await import('../event-log/event-store.js');
  const { PricesCatchUp } = await import('../statistics/prices/prices-catch-up.js');
  const { readPriceBooks } = await import('../statistics/prices/price-book.reader.js');
  const { printPrices } = await import('./price-table.js');
  const entries = await withDatabase(options, async ({ dataSource }) => {
    await new PricesCatchUp(dataSource, new EventStore(dataSource)).run();
    return readPriceBooks(dataSource, {
      ...(chain !== undefined && { chain }),
      ...(us !== undefined && { knownAt: us }),
    });
  });
  const whose = chain === undefined ? '' : ` for ${toPrintable(chain)}`;
  const none =
    `No prices are recorded${whose}${knownAt === undefined ? '' : ` as of ${toPrintable(knownAt)}`}.\n` +
    "Fees are known only where a node reports its gas price, or where they were imported; gas is Celestia's.\n";
  process.stdout.write(entries.length === 0 ? none : printPrices(entries));
}

async function setPrices(options: SetOptions): Promise<void> {
  const clock = new SystemClock();
  const wish = readWish(options, BigInt(clock.now()) * 1_000n);
  const { EventStore } = await import('../event-log/event-store.js');
  const { PriceRecorder } = await import('../statistics/prices/price-recorder.js');
  const { printPrices } = await import('./price-table.js');
  const { recorded, book } = await withDatabase(options, ({ dataSource }) =>
    new PriceRecorder(dataSource, new EventStore(dataSource), clock).set({
      chain: options.chain,
      wishes: [wish],
      replace: options.replace ?? false,
      source: options.note,
      by: COMMAND_LINE,
    }),
  );
  const done =
    recorded === 0
      ? 'The price book has that already; nothing was recorded.'
      : 'Recorded. Figures that it changes are computed again while Hindsight runs.';
  process.stdout.write(`${done}\n\n${printPrices(book)}`);
}

function readWish(options: SetOptions, nowUs: bigint): PriceWish {
  const { gasPrice, gasPerShareByte, gasPerBlob, fixedGas, signer } = options;
  return {
    effectiveFrom: readStart(options.from, nowUs),
    ...(gasPrice !== undefined && { gasPrice }),
    ...(options.fiat !== undefined && { fiat: readFiat(options.fiat) }),
    ...(gasPerShareByte !== undefined && { gasPerShareByte }),
    ...(gasPerBlob !== undefined && { gasPerBlob }),
    ...(fixedGas !== undefined && { fixedGas }),
    ...(signer !== undefined && { signer: signer === 'true' }),
  };
}

/** Unix microseconds; null: the beginning. */
function readStart(text: string, nowUs: bigint): bigint | null {
  if (text === 'beginning') return null;
  return text === 'now' ? nowUs : readMoment('--from', text, HOW_TO_WRITE_TIMES);
}

function readFiat(text: string): { unit: string; perTia: string } {
  const [, unit, perTia] = /^([^=]+)=(.+)$/.exec(text.trim()) ?? [];
  if (unit !== undefined && perTia !== undefined) return { unit, perTia };
  throw new UserError(`--fiat is no rate: ${text.slice(0, 60)}`, 'Write it as EUR=1.23.', 2);
}
