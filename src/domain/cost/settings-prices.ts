import type { RecordedPrice } from '../events.js';

export interface SettingsPrices {
  /** Prices without a date (`effectiveFrom` is null here): their start depends on what was known before. */
  readonly plain: readonly RecordedPrice[];
  /** Whether blobs name their signer; null: not set. Starts like `plain`; the rest of the schedule stays. */
  readonly signer: boolean | null;
  /** Prices with a date, in the order of their dates. */
  readonly dated: readonly RecordedPrice[];
}

interface DatedSetting {
  readonly from: string;
  readonly gasPrice?: string;
  readonly fiat?: { readonly unit: string; readonly perTia: string };
  readonly gasPerShareByte?: string;
  readonly gasPerBlob?: string;
  readonly fixedGas?: string;
}

export type RecordedSchedule = Extract<RecordedPrice, { subject: 'GAS_SCHEDULE' }>['value'];

/** Celestia's parameters (those of `pay-for-blobs.ts`) in recorded form. */
export const RECORDED_CELESTIA_GAS: RecordedSchedule = {
  gasPerShareByte: '8',
  gasPerBlob: '700',
  fixedGas: '75000',
  signer: false,
};

/**
 * Reads the prices out of `ChainSettingsChanged.da`: `gasPrice` (utia), `fiatUnit` with `fiatPerTia`, `signer`, and
 * `prices`, a JSON list of dated entries. An entry changes what it names and leaves the rest unchanged.
 */
export function readSettingsPrices(da: Readonly<Record<string, string>>): SettingsPrices {
  const { gasPrice, fiatUnit, fiatPerTia, signer } = da;
  const plain: RecordedPrice[] = [];
  if (gasPrice !== undefined) plain.push(priceOfGas(null, gasPrice));
  if (fiatUnit !== undefined && fiatPerTia !== undefined) {
    plain.push(rateOf(null, { unit: fiatUnit, perTia: fiatPerTia }));
  }
  const base = { ...RECORDED_CELESTIA_GAS, signer: signer === 'true' };
  return {
    plain,
    signer: signer === undefined ? null : base.signer,
    dated: readDated(da['prices'], base),
  };
}

function readDated(text: string | undefined, base: RecordedSchedule): RecordedPrice[] {
  const prices: RecordedPrice[] = [];
  let schedule = base;
  for (const entry of parseList(text)) {
    const { from, gasPrice, fiat, gasPerShareByte, gasPerBlob, fixedGas } = entry;
    if (gasPrice !== undefined) prices.push(priceOfGas(from, gasPrice));
    if (fiat !== undefined) prices.push(rateOf(from, fiat));
    if ([gasPerShareByte, gasPerBlob, fixedGas].every((member) => member === undefined)) continue;
    schedule = {
      gasPerShareByte: gasPerShareByte ?? schedule.gasPerShareByte,
      gasPerBlob: gasPerBlob ?? schedule.gasPerBlob,
      fixedGas: fixedGas ?? schedule.fixedGas,
      signer: schedule.signer,
    };
    prices.push({ effectiveFrom: from, subject: 'GAS_SCHEDULE', value: schedule });
  }
  return prices;
}

/** Anything but a list gives no prices: the settings were checked before they were recorded. */
function parseList(text: string | undefined): DatedSetting[] {
  if (text === undefined) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isDated) : [];
  } catch {
    return [];
  }
}

function isDated(entry: unknown): entry is DatedSetting {
  return typeof entry === 'object' && entry !== null && 'from' in entry && typeof entry.from === 'string';
}

function priceOfGas(effectiveFrom: string | null, utia: string): RecordedPrice {
  return { effectiveFrom, subject: 'GAS_PRICE', value: { utia } };
}

function rateOf(
  effectiveFrom: string | null,
  { unit, perTia }: { readonly unit: string; readonly perTia: string },
): RecordedPrice {
  return { effectiveFrom, subject: 'FIAT_RATE', value: { unit, perTia } };
}
