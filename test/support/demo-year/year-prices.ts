import type { NewEvent, RecordedPrice } from '../../../src/domain/events.js';
import { formatTime, millisToNanos } from '../../../src/domain/time.js';
import type { Millis } from '../../../src/domain/time.js';
import type { YearTurn } from './year-chain.js';
import type { YearEvent } from './year-event.js';
import { gasPriceAt } from './year-rows.js';
import { YEAR_CHAIN } from '../../../src/cli/demo-year.js';
import { DAY, isIn, STORY } from './year-story.js';

/** Euros per TIA, by month. */
const EUROS = [
  '5.10',
  '4.85',
  '4.40',
  '4.62',
  '5.35',
  '6.80',
  '7.15',
  '6.05',
  '5.20',
  '4.70',
  '4.95',
  '5.40',
  '5.25',
];
const MONTH = 30.4 * DAY;
const SOURCE = 'made up for the demo';
/** The real fees were imported only for the last days of the expensive month. */
const READ = 12 * DAY;

/** Events of operators: the price book of the year, and the real fees of a part of it. */
export function pricesOf(turns: readonly YearTurn[]): YearEvent[] {
  const { from, expensive, priceChangeAt } = STORY;
  const changes = [from, expensive.from, expensive.to, priceChangeAt];
  const gas = changes.map((at, index) => set(at, [{ ...since(at, index), ...gasPrice(at) }]));
  const rates = EUROS.map((perTia, index): RecordedPrice => {
    const at = Math.round(from + index * MONTH);
    return { ...since(at, index), subject: 'FIAT_RATE', value: { unit: 'EUR', perTia } };
  });
  const fiat = set(from + EUROS.length * MONTH - DAY, rates);
  return [...gas, fiat, importOf(turns)];
}

function gasPrice(at: Millis) {
  return { subject: 'GAS_PRICE', value: { utia: gasPriceAt(at) } } as const;
}

/** The first price applies from the beginning. */
function since(at: Millis, index: number): { readonly effectiveFrom: string | null } {
  return { effectiveFrom: index === 0 ? null : formatTime(millisToNanos(at), 6) };
}

function set(at: Millis, entries: readonly RecordedPrice[]): YearEvent {
  return operator({ type: 'PriceSet', observedAt: at, body: { entries, source: SOURCE } });
}

function importOf(turns: readonly YearTurn[]): YearEvent {
  const { expensive } = STORY;
  const read = { from: expensive.to - READ, to: expensive.to };
  const fees = turns
    .filter(({ at }) => isIn(at, read))
    .flatMap(({ rows }) => rows.flatMap(({ paid }) => (paid ? [paid] : [])))
    .map(({ daHeight, namespace, utia }) => ({
      daHeight: String(daHeight),
      namespace,
      tx: null,
      fee: String(utia),
    }));
  const observedAt = expensive.to + 2 * DAY;
  return operator({ type: 'FeesImported', observedAt, body: { source: SOURCE, fees } });
}

function operator(event: NewEvent): YearEvent {
  return { stream: `${YEAR_CHAIN}/operator`, event };
}
