import { z } from 'zod';
import { decimalValue, instantValue, textValue } from './settings-values.js';

/** Currency codes, and those of stable coins. Must agree with `domain/cost/price-book.ts`. */
const unitValue = z
  .string('must be a currency like EUR')
  .regex(/^[A-Z]{3,10}$/, 'must be a currency like EUR');

const gasValue = z
  .union([z.string(), z.number()], 'must be a whole number')
  .transform(String)
  .pipe(z.string().regex(/^\d{1,15}$/, 'must be a whole number that is not negative'));

/** Nothing is free: who writes 0 does not know the price. */
const priceValue = decimalValue.refine((text) => /[1-9]/.test(text), 'must be more than 0');

const fiatRate = z.strictObject({ unit: unitValue, perTia: priceValue });

/** What holds from a moment on; what an entry leaves out stays as it was. */
const priceEntry = z
  .strictObject({
    from: instantValue,
    gasPrice: priceValue.optional(),
    fiat: fiatRate.optional(),
    gasPerShareByte: gasValue.optional(),
    gasPerBlob: gasValue.optional(),
    fixedGas: gasValue.optional(),
  })
  .refine((entry) => Object.keys(entry).length > 1, 'must set something: gasPrice, fiat, gasPerShareByte …');

/** Faults of the order are told beside those of the entries, so that one reading of the file shows all. */
const priceList = z
  .array(priceEntry, 'must be a list of prices')
  .max(10_000, 'must have at most 10000 entries')
  .superRefine(
    (entries, context) => {
      let latest = '';
      for (const [index, entry] of entries.entries()) {
        const from = readFrom(entry);
        if (from === undefined) continue;
        const path = [index, 'from'];
        if (from === latest) context.addIssue({ code: 'custom', path, message: 'is there twice' });
        if (from < latest) {
          context.addIssue({ code: 'custom', path, message: 'must be later than the entry before it' });
        }
        if (from > latest) latest = from;
      }
    },
    { when: ({ value }) => Array.isArray(value) },
  );

/** An entry with a fault may be anything. Times that were read are ISO text of one length, in the order of time. */
function readFrom(entry: unknown): string | undefined {
  const from = typeof entry === 'object' && entry !== null && 'from' in entry ? entry.from : undefined;
  const parsed = instantValue.safeParse(from);
  return parsed.success ? parsed.data : undefined;
}

/** `da` of a chain in the file. */
export const daSettings = z.strictObject({
  layer: textValue.optional(),
  gasPrice: priceValue.optional(),
  fiat: fiatRate.optional(),
  signer: z.boolean('must be true or false').optional(),
  prices: priceList.optional(),
});

/** Keys below `da`, only to suggest them. */
export const DA_KEYS = [
  ...Object.keys(daSettings.shape),
  ...Object.keys(priceEntry.shape),
  ...Object.keys(fiatRate.shape),
];

/**
 * The settings as they are recorded: flat, all text. `domain/cost/settings-prices.ts` reads them again.
 * Members that are not set are not there, and those that earlier versions knew come first: what was recorded once is
 * not recorded again for its form alone.
 */
export function flattenDa(da: z.output<typeof daSettings>): Record<string, string> {
  return {
    ...(da.layer !== undefined && { layer: da.layer }),
    ...(da.gasPrice !== undefined && { gasPrice: da.gasPrice }),
    ...(da.fiat !== undefined && { fiatUnit: da.fiat.unit, fiatPerTia: da.fiat.perTia }),
    ...(da.signer !== undefined && { signer: String(da.signer) }),
    ...(da.prices !== undefined && da.prices.length > 0 && { prices: JSON.stringify(da.prices) }),
  };
}
