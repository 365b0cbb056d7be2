import type { RecordedPrice } from '../../../src/domain/events.js';
import { PRICES } from './year-plan.js';

/** Amounts are integers of 10^-30, far finer than any reported figure. */
export const ONE = 10n ** 30n;

/** @param text a decimal without exponent */
export function toAmount(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * ONE + BigInt(fraction.padEnd(30, '0'));
}

export function amountText(amount: bigint): string {
  const fraction = String(amount % ONE)
    .padStart(30, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(amount / ONE) : `${amount / ONE}.${fraction}`;
}

/** Prices at a moment. */
export interface TruePrices {
  /** utia per gas, as an amount. */
  readonly gasPrice: bigint | null;
  readonly gasPerShareByte: bigint;
  readonly gasPerBlob: bigint;
  readonly fixedGas: bigint;
  readonly hasSigner: boolean;
  readonly fiat: { readonly unit: string; readonly perTia: bigint } | null;
}

/** Celestia's own figures: 8 gas per byte of a share, 10 gas per byte for 70 bytes per blob, 75,000 per transaction. */
const CELESTIA = { gasPerShareByte: 8n, gasPerBlob: 700n, fixedGas: 75_000n, hasSigner: false };

/** The prices to use. */
export interface TrueBook {
  /** Only prices that were set before this time, Unix milliseconds. */
  readonly saidBefore?: number;
  /** Uses the prices of this moment for all time, Unix microseconds. */
  readonly asOfUs?: bigint;
}

/** Prices of a chain at a moment: the entry of each subject that began last, or the one set later if two began together. */
export function truePrices(chain: string, us: bigint, book: TrueBook): TruePrices {
  const find = (subject: string): unknown => latest(chain, subject, book.asOfUs ?? us, book)?.value;
  const gas = find('GAS_PRICE') as { utia: string } | undefined;
  const schedule = find('GAS_SCHEDULE') as Record<string, string> | undefined;
  const rate = find('FIAT_RATE') as { unit: string; perTia: string } | undefined;
  return {
    gasPrice: gas ? toAmount(gas.utia) : null,
    ...(schedule
      ? {
          gasPerShareByte: BigInt(schedule['gasPerShareByte'] ?? ''),
          gasPerBlob: BigInt(schedule['gasPerBlob'] ?? ''),
          fixedGas: BigInt(schedule['fixedGas'] ?? ''),
          hasSigner: Boolean(schedule['signer']),
        }
      : CELESTIA),
    fiat: rate ? { unit: rate.unit, perTia: toAmount(rate.perTia) } : null,
  };
}

function latest(chain: string, subject: string, us: bigint, book: TrueBook): RecordedPrice | undefined {
  let best: RecordedPrice | undefined;
  for (const plan of PRICES) {
    if (plan.at >= (book.saidBefore ?? Infinity)) continue;
    for (const entry of plan.entries) {
      if (plan.chain !== chain || entry.subject !== subject || momentOf(entry) > us) continue;
      if (best === undefined || momentOf(entry) >= momentOf(best)) best = entry;
    }
  }
  return best;
}

/** Unix microseconds of a time with up to six digits of a second. */
function momentOf({ effectiveFrom }: RecordedPrice): bigint {
  if (effectiveFrom === null) return -(2n ** 62n);
  const [second = '', fraction = ''] = effectiveFrom.replace('Z', '').split('.');
  return BigInt(Date.parse(`${second}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** Shares of one blob: 478 bytes in the first (20 fewer with a signer), 482 in each further one. */
export function sharesOf(bytes: bigint, hasSigner: boolean): bigint {
  let shares = 0n;
  let left = bytes;
  while (left > 0n) {
    left -= shares > 0n ? 482n : hasSigner ? 458n : 478n;
    shares += 1n;
  }
  return shares;
}

/**
 * The fewest and the most shares for a number of non-empty blobs and their total bytes. The fewest: every first share is filled
 * before a second one begins. The most: every started share holds one byte.
 */
export function shareLimits(blobs: bigint, bytes: bigint, hasSigner: boolean): { min: bigint; max: bigint } {
  const first = hasSigner ? 458n : 478n;
  let min = blobs;
  for (let left = bytes - blobs * first; left > 0n; left -= 482n) min += 1n;
  let max = blobs;
  let spare = bytes - blobs;
  // A blob's second share begins with the byte after a full first share; each further share begins after 482 more.
  for (let blob = 0n; blob < blobs && spare >= first; blob++) {
    spare -= first;
    max += 1n;
  }
  for (; spare >= 482n; spare -= 482n) max += 1n;
  return { min, max };
}

/** utia: gas times its price, rounded up. */
export function feeOf(gas: bigint, gasPrice: bigint): bigint {
  const amount = gas * gasPrice;
  return amount / ONE + (amount % ONE > 0n ? 1n : 0n);
}
