import { createInterface } from 'node:readline/promises';
import { type Command, Option } from 'commander';
import { toPrintable } from '../domain/printable-text.js';
import { millisToMicros, type Micros } from '../domain/time.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import type { RequestedPrice } from '../statistics/prices/requested-price.js';
import { catchUp } from './catch-up.js';
import { COMMAND_LINE } from './command-line.js';
import { nameOfInput, readInput } from './input-file.js';
import { addJsonOption, type JsonOptions } from './json.js';
import { readMoment } from './moments.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

interface ListOptions extends SettingOptions, JsonOptions {
  readonly chain?: string;
  readonly knownAt?: string;
}

/** Options of all commands that record prices. */
interface RecordOptions extends SettingOptions {
  readonly chain: string;
  readonly replace?: boolean;
  readonly yes?: boolean;
  readonly note?: string;
}

interface SetOptions extends RecordOptions {
  readonly from: string;
  readonly gasPrice?: string;
  readonly fiat?: string;
  readonly gasPerShareByte?: string;
  readonly gasPerBlob?: string;
  readonly fixedGas?: string;
  readonly signer?: 'true' | 'false';
  readonly note: string;
}

/** `hindsight prices list`, `set` and `import`: the price book. Works with or without a running service. */
export function define(prices: Command): void {
  prices.helpCommand(false);
  const list = prices
    .command('list', { isDefault: true })
    .description('show the price book')
    .option('--chain <ID>', 'prices of this chain; default: all chains')
    .option('--known-at <TIME>', 'the price book as recorded at this time, like 2026-03-01T00:00:00Z');
  addDatabaseOptions(addJsonOption(list)).action(listPrices);
  const set = prices
    .command('set')
    .description('set prices from a moment on; other prices stay as they are')
    .requiredOption('--chain <ID>', 'the chain')
    .requiredOption('--from <TIME>', 'when the prices begin: a time, a day of UTC, now, or beginning')
    .option('--gas-price <UTIA>', 'utia per gas, like 0.002')
    .option('--fiat <UNIT=AMOUNT>', 'what a TIA is worth, like EUR=1.23')
    .option('--gas-per-share-byte <GAS>', 'gas for each byte of a share')
    .option('--gas-per-blob <GAS>', 'gas for each blob')
    .option('--fixed-gas <GAS>', 'gas for each transaction')
    .addOption(
      new Option('--signer <true|false>', 'whether blobs name their signer').choices(['true', 'false']),
    )
    .option('--replace', 'change past prices: before the newest entry, or in place of an entry')
    .option('--yes', 'do not ask for confirmation when reported figures change')
    .option('--note <TEXT>', 'source of the figures', 'set by command');
  addDatabaseOptions(set).action((options: SetOptions) =>
    setPrices(options, (now) => Promise.resolve([readRequestedPrice(options, now)])),
  );
  const bulk = prices
    .command('import')
    .description('set the prices of a file, all or nothing; entries that the book already has are skipped')
    .argument(
      '<file>',
      'a CSV with the columns from, and gas_price, or a currency such as EUR, or both; - for standard input',
    )
    .requiredOption('--chain <ID>', 'the chain')
    .option('--replace', 'change past prices: before the newest entry, or in place of an entry')
    .option('--yes', 'do not ask for confirmation when reported figures change')
    .option('--note <TEXT>', 'source of the figures; default: the name of the file');
  addDatabaseOptions(bulk).action((path: string, options: RecordOptions) =>
    setPrices({ ...options, note: options.note ?? nameOfInput(path) }, async () => {
      const { readPriceFile } = await import('../statistics/prices/price-file.js');
      return readPriceFile(readInput(path));
    }),
  );
}

async function listPrices(options: ListOptions): Promise<void> {
  const { chain, knownAt } = options;
  const knownAtUs = knownAt === undefined ? undefined : readMoment('--known-at', knownAt);
  const { PricesCatchUp } = await import('../statistics/prices/prices-catch-up.js');
  const { readPriceBooks } = await import('../statistics/prices/price-book.reader.js');
  const { pricesToJson, printPrices } = await import('./price-table.js');
  const entries = await withDatabase(options, async ({ dataSource, openLog }) => {
    await new PricesCatchUp(dataSource, await openLog()).run();
    return readPriceBooks(dataSource, { chain, knownAt: knownAtUs });
  });
  if (options.json) {
    process.stdout.write(pricesToJson(entries));
    return;
  }
  const whose = chain === undefined ? '' : ` for ${toPrintable(chain)}`;
  const none =
    `No prices are recorded${whose}${knownAt === undefined ? '' : ` as of ${toPrintable(knownAt)}`}.\n` +
    "Fees are known only if a node reports its gas price or if they were imported; gas is computed by Celestia's rules.\n";
  process.stdout.write(entries.length === 0 ? none : printPrices(entries));
}

async function setPrices(
  options: RecordOptions & { readonly note: string },
  readPrices: (now: Micros) => Promise<readonly RequestedPrice[]>,
): Promise<void> {
  const clock = new SystemClock();
  const requested = await readPrices(millisToMicros(clock.now()));
  const { PriceRecorder } = await import('../statistics/prices/price-recorder.js');
  const { printPrices } = await import('./price-table.js');
  const { printEffect } = await import('./price-effect.js');
  const request = {
    chain: options.chain,
    prices: requested,
    replace: options.replace ?? false,
    source: options.note,
    by: COMMAND_LINE,
  };
  const result = await withDatabase(options, async (context) => {
    const { dataSource, openLog, signal } = context;
    // The effect depends on prices that were set a moment ago.
    await catchUp(context);
    const recorder = new PriceRecorder(dataSource, await openLog(), clock);
    const effect = await recorder.preview(request);
    if (effect !== undefined) {
      process.stdout.write(`${printEffect(effect, options.chain)}\n`);
      if (!(options.yes ?? (await confirm(signal)))) return undefined;
    }
    return recorder.set(request);
  });
  if (result === undefined) {
    process.stdout.write('Nothing was recorded.\n');
    return;
  }
  const { recorded, book } = result;
  const done =
    recorded === 0
      ? 'The price book already has these prices; nothing was recorded.'
      : 'Recorded. A running Hindsight recomputes the figures that this changes.';
  process.stdout.write(`${done}\n\n${printPrices(book)}`);
}

/** Asks whether figures may change. @throws UserError without a terminal */
async function confirm(signal: AbortSignal): Promise<boolean> {
  // Standard input that a file was read from is closed.
  if (process.stdin.destroyed || !process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UserError(
      'This changes reported figures, and there is no terminal to ask for confirmation. Nothing was recorded.',
      'To confirm, run the same command with --yes.',
      2,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question('Record it anyway? [y/N] ', { signal })).trim());
  } finally {
    terminal.close();
  }
}

function readRequestedPrice(options: SetOptions, now: Micros): RequestedPrice {
  const { gasPrice, fiat, gasPerShareByte, gasPerBlob, fixedGas, signer } = options;
  return {
    effectiveFrom: readStart(options.from, now),
    gasPrice,
    fiat: fiat === undefined ? undefined : readFiat(fiat),
    gasPerShareByte,
    gasPerBlob,
    fixedGas,
    signer: signer === undefined ? undefined : signer === 'true',
  };
}

/** Null: the beginning. */
function readStart(text: string, now: Micros): Micros | null {
  if (text === 'beginning') return null;
  return text === 'now' ? now : readMoment('--from', text);
}

function readFiat(text: string): { unit: string; perTia: string } {
  const [, unit, perTia] = /^([^=]+)=(.+)$/.exec(text.trim()) ?? [];
  if (unit !== undefined && perTia !== undefined) return { unit, perTia };
  throw new UserError(`--fiat is not a rate: ${text.slice(0, 60)}`, 'Write it as EUR=1.23.', 2);
}
