import { z } from 'zod';
import { DEFAULT_THRESHOLDS } from '../domain/health/health-thresholds.js';
import { PUBLIC_PARTS } from '../domain/public-parts.js';
import { section } from './faults.js';
import {
  currencyValue,
  gasValue,
  instantValue,
  priceValue,
  textValue,
  thresholdValue,
  timeZoneValue,
  written,
} from './values.js';

const fiatRate = section({ unit: currencyValue, perTia: priceValue });

/** Prices from a moment on; values that an entry leaves out stay as they were. */
const priceEntry = section({
  from: instantValue,
  gasPrice: priceValue.optional(),
  fiat: fiatRate.optional(),
  gasPerShareByte: gasValue.optional(),
  gasPerBlob: gasValue.optional(),
  fixedGas: gasValue.optional(),
}).refine((entry) => Object.keys(entry).length > 1, 'must set something: gasPrice, fiat, gasPerShareByte …');

/** Faults of the order are reported together with those of the entries, so that all faults of the file appear at once. */
const priceList = z
  .array(priceEntry, 'must be a list of prices')
  .max(10_000, 'must have at most 10000 entries')
  .superRefine(
    (entries, context) => {
      let latest = '';
      for (const [index, entry] of entries.entries()) {
        const from = fromOf(entry);
        if (from === undefined) continue;
        const path = [index, 'from'];
        if (from === latest) context.addIssue({ code: 'custom', path, message: 'is given twice' });
        if (from < latest) {
          context.addIssue({ code: 'custom', path, message: 'must be later than the entry before it' });
        }
        if (from > latest) latest = from;
      }
    },
    { when: ({ value }) => Array.isArray(value) },
  );

/** An entry with a fault may be anything. Valid times are ISO text of one length, which sorts in the order of time. */
function fromOf(entry: unknown): string | undefined {
  const from = typeof entry === 'object' && entry !== null && 'from' in entry ? entry.from : undefined;
  return typeof from === 'string' ? from : undefined;
}

/**
 * The costs of a chain's DA layer, in the form in which they are recorded: flat, all text. `domain/cost/settings-prices.ts` reads
 * them. Unset members are absent, and those that earlier versions knew come first, so that unchanged settings are not recorded
 * again because of their form.
 */
const daSettings = section({
  layer: textValue.optional(),
  gasPrice: priceValue.optional(),
  fiat: fiatRate.optional(),
  signer: z.boolean('must be true or false').optional(),
  prices: priceList.optional(),
}).transform(({ layer, gasPrice, fiat, signer, prices = [] }) =>
  withoutUndefined({
    layer,
    gasPrice,
    fiatUnit: fiat?.unit,
    fiatPerTia: fiat?.perTia,
    signer: signer?.toString(),
    prices: prices.length > 0 ? JSON.stringify(prices) : undefined,
  }),
);

const isLength = (name: string): boolean => name.endsWith('Ms');
const withoutUnit = (name: string): string => name.replace(/Ms$/, '');
const names = Object.keys(DEFAULT_THRESHOLDS);
/** Names in the order in which they are recorded. */
const ordered = [...names.filter(isLength), ...names.filter((name) => !isLength(name))];
const numberValue = written('must be a number', (text) =>
  /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined,
).refine((number) => number > 0, 'must be more than 0');

/** Thresholds of the health rules: durations are given without the unit in their name, and come out with it. */
const thresholds = section(
  Object.fromEntries(
    ordered.map((name) => [withoutUnit(name), (isLength(name) ? thresholdValue : numberValue).optional()]),
  ),
).transform((given) =>
  withoutUndefined(Object.fromEntries(ordered.map((name) => [name, given[withoutUnit(name)]]))),
);

const AMONG_PARTS = `of ${PUBLIC_PARTS.join(', ')}`;
const publicParts = z
  .array(z.enum(PUBLIC_PARTS, `must be one ${AMONG_PARTS}`), `must be a list ${AMONG_PARTS}`)
  .min(1, `must name one ${AMONG_PARTS}; leave it out to show nothing`);

export const chainValue = section({
  id: textValue,
  reportingTimeZone: timeZoneValue.default('UTC'),
  da: daSettings.default({}),
  thresholds: thresholds.default({}),
  /** The parts of the public page, which needs no key; without them there is no page. */
  public: publicParts.optional(),
});

function withoutUndefined<T>(record: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, T] => entry[1] !== undefined),
  );
}
