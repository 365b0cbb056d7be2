import type { RecordedPrice, SourceState } from '../../../src/domain/events.js';

/** The generated year, Unix milliseconds. It contains both clock changes of Europe, and a February of 28 days. */
export const YEAR_START = Date.UTC(2025, 9, 1);
export const YEAR_END = Date.UTC(2026, 9, 1);
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A time in which a list was not polled, or could not be; rows that entered it meanwhile are shown at the end, or lost. */
export interface Absence {
  readonly from: number;
  readonly to: number;
  readonly kind: 'LATE' | 'LOST' | 'RESET' | 'AMBIGUOUS' | Exclude<SourceState, 'AVAILABLE'>;
}

export interface NodePlan {
  readonly id: string;
  /** The ring that it shows, and the time of its first poll. */
  readonly ring: string;
  readonly from: number;
  /** The time until which it is a follower without a list. */
  readonly leadsFrom: number;
  /** The time from which it is a follower again. */
  readonly leadsTo: number;
  /** The time when it first names its chain; null: never. */
  readonly describedAt: number | null;
  /** The time from which its blocks are polled; null: never. */
  readonly blocksFrom: number | null;
  /** Its answers have no `Date` header between these times. */
  readonly noClock?: { readonly from: number; readonly to: number };
  readonly absences: readonly Absence[];
}

export interface ChainPlan {
  readonly id: string;
  readonly zone: string;
  readonly header: string;
  readonly data: string;
  /** The rings that rows enter, each from a time on. */
  readonly rings: readonly { readonly ring: string; readonly from: number }[];
  readonly nodes: readonly NodePlan[];
  /** Mean minutes between two batches, when the hour is neither quiet nor busy. */
  readonly everyMinutes: number;
  /** The time until which the node reports the paid gas price. */
  readonly gasPriceUntil: number;
  readonly forkAt: number | null;
  /** Each failed attempt that landed follows an attempt whose number of blobs cannot be read. */
  readonly hasVagueFailures?: boolean;
}

/** Prices, and the time at which they are set. */
export interface PricePlan {
  readonly chain: string;
  readonly at: number;
  readonly entries: readonly RecordedPrice[];
}

const at = (text: string): number => Date.parse(`${text}Z`);
const namespaceOf = (text: string): string => Buffer.from(text).toString('hex').padStart(58, '0');
const ALWAYS = { from: YEAR_START, leadsFrom: YEAR_START, leadsTo: Infinity, describedAt: YEAR_START };

const ALPHA: ChainPlan = {
  id: 'alpha-1',
  zone: 'Europe/Berlin',
  header: namespaceOf('alphaheads'),
  data: namespaceOf('alphabytes'),
  rings: [
    { ring: 'a', from: YEAR_START },
    { ring: 'f', from: at('2026-04-12T09:07') },
    { ring: 'a', from: at('2026-08-03T22:31') },
  ],
  everyMinutes: 400,
  gasPriceUntil: at('2026-01-20T00:00'),
  forkAt: null,
  nodes: [
    {
      ...ALWAYS,
      id: 'alpha-lead',
      ring: 'a',
      blocksFrom: YEAR_START,
      absences: [
        { from: at('2025-10-25T20:00'), to: at('2025-10-26T07:40'), kind: 'LATE' },
        { from: at('2025-11-20T03:10'), to: at('2025-11-20T09:00'), kind: 'LOST' },
        { from: at('2026-01-05T12:00'), to: at('2026-01-07T02:00'), kind: 'LATE' },
        { from: at('2026-02-11T00:00'), to: at('2026-02-11T06:30'), kind: 'UNREACHABLE' },
        { from: at('2026-03-28T23:10'), to: at('2026-04-01T10:00'), kind: 'LATE' },
        { from: at('2026-04-12T09:05'), to: at('2026-08-03T22:20'), kind: 'NOT_AGGREGATOR' },
        { from: at('2026-08-03T22:25'), to: at('2026-08-03T22:40'), kind: 'RESET' },
        { from: at('2026-09-01T01:00'), to: at('2026-09-01T20:00'), kind: 'LOST' },
      ],
    },
    {
      ...ALWAYS,
      id: 'alpha-twin',
      ring: 'a',
      from: at('2025-11-10T00:00'),
      describedAt: at('2025-11-10T00:00'),
      blocksFrom: at('2025-11-10T00:00'),
      noClock: { from: at('2026-01-05T20:00'), to: at('2026-01-10T00:00') },
      absences: [
        { from: at('2025-12-01T00:00'), to: at('2025-12-02T00:00'), kind: 'LOST' },
        { from: at('2026-03-05T00:00'), to: at('2026-03-06T08:00'), kind: 'LATE' },
        { from: at('2026-04-12T09:06'), to: at('2026-08-03T22:21'), kind: 'NOT_AGGREGATOR' },
        { from: at('2026-08-03T22:25'), to: at('2026-08-03T22:41'), kind: 'RESET' },
        { from: at('2026-09-01T06:00'), to: at('2026-09-01T22:00'), kind: 'LATE' },
      ],
    },
    {
      ...ALWAYS,
      id: 'alpha-next',
      ring: 'f',
      leadsFrom: at('2026-04-12T09:07'),
      leadsTo: at('2026-08-03T22:31'),
      blocksFrom: at('2026-01-03T00:00'),
      absences: [
        { from: at('2026-05-09T00:00'), to: at('2026-05-09T12:00'), kind: 'AMBIGUOUS' },
        { from: at('2026-06-10T00:00'), to: at('2026-06-12T12:00'), kind: 'LOST' },
        { from: at('2026-07-01T00:00'), to: at('2026-07-01T04:00'), kind: 'DISABLED' },
      ],
    },
  ],
};

const KITE: ChainPlan = {
  id: 'kite-7',
  zone: 'Asia/Kolkata',
  header: namespaceOf('kitestring'),
  data: namespaceOf('kitestring'),
  rings: [{ ring: 'k', from: YEAR_START }],
  everyMinutes: 540,
  gasPriceUntil: YEAR_START,
  forkAt: null,
  nodes: [
    {
      ...ALWAYS,
      id: 'kite',
      ring: 'k',
      blocksFrom: YEAR_START,
      absences: [
        { from: at('2025-12-24T17:00'), to: at('2025-12-27T00:00'), kind: 'LOST' },
        { from: at('2026-03-31T15:00'), to: at('2026-04-02T15:00'), kind: 'LATE' },
        { from: at('2026-07-14T00:00'), to: at('2026-07-14T00:50'), kind: 'RESET' },
      ],
    },
  ],
};

const URSA: ChainPlan = {
  id: 'ursa',
  hasVagueFailures: true,
  zone: 'UTC',
  header: namespaceOf('ursaheaders'),
  data: namespaceOf('ursadata'),
  rings: [{ ring: 'u', from: YEAR_START }],
  everyMinutes: 540,
  gasPriceUntil: at('2026-04-01T00:00'),
  forkAt: at('2026-05-20T11:03'),
  nodes: [
    {
      ...ALWAYS,
      id: 'ursa',
      ring: 'u',
      describedAt: at('2025-10-20T10:00'),
      blocksFrom: at('2025-11-02T00:00'),
      absences: [
        { from: at('2026-01-31T20:00'), to: at('2026-02-02T04:00'), kind: 'UNREACHABLE' },
        { from: at('2026-06-01T00:00'), to: at('2026-06-01T05:00'), kind: 'INVALID' },
      ],
    },
  ],
};

/** A node that never names its chain. */
const STRAY: ChainPlan = {
  id: '',
  zone: 'UTC',
  header: namespaceOf('nobodys'),
  data: namespaceOf('nobodys'),
  rings: [{ ring: 's', from: YEAR_START }],
  everyMinutes: 4_000,
  gasPriceUntil: YEAR_START,
  forkAt: null,
  nodes: [{ ...ALWAYS, id: 'stray', ring: 's', describedAt: null, blocksFrom: null, absences: [] }],
};

export const CHAINS: readonly ChainPlan[] = [ALPHA, KITE, URSA, STRAY];

const gasPrice = (effectiveFrom: string | null, utia: string): RecordedPrice => ({
  effectiveFrom,
  subject: 'GAS_PRICE',
  value: { utia },
});
const fiat = (effectiveFrom: string | null, unit: string, perTia: string): RecordedPrice => ({
  effectiveFrom,
  subject: 'FIAT_RATE',
  value: { unit, perTia },
});
const schedule = (effectiveFrom: string, values: [string, string, string, boolean]): RecordedPrice => ({
  effectiveFrom,
  subject: 'GAS_SCHEDULE',
  value: { gasPerShareByte: values[0], gasPerBlob: values[1], fixedGas: values[2], signer: values[3] },
});

export const PRICES: readonly PricePlan[] = [
  {
    chain: 'alpha-1',
    at: YEAR_START,
    entries: [gasPrice(null, '0.002'), fiat('2025-10-15T00:00:00Z', 'EUR', '4.1573')],
  },
  { chain: 'alpha-1', at: at('2025-12-01T10:00'), entries: [gasPrice('2025-12-01T10:07:30.5Z', '0.004')] },
  // The price is set long after it applied, from a moment inside a quarter hour.
  {
    chain: 'alpha-1',
    at: at('2026-02-20T10:00'),
    entries: [gasPrice('2026-01-25T13:22:10.000001Z', '0.0035')],
  },
  {
    chain: 'alpha-1',
    at: at('2026-06-01T00:00'),
    entries: [
      schedule('2026-06-03T06:50:00Z', ['10', '800', '80001', true]),
      fiat('2026-03-01T00:00:00Z', 'EUR', '3.9'),
      fiat('2026-07-01T00:00:00Z', 'USD', '4.25'),
    ],
  },
  // Corrects the price that applied from the same moment.
  { chain: 'alpha-1', at: at('2026-07-05T00:00'), entries: [gasPrice('2025-12-01T10:07:30.5Z', '0.0041')] },
  {
    chain: 'kite-7',
    at: at('2026-02-01T00:00'),
    entries: [gasPrice('2026-01-15T18:40:00Z', '0.0123456789')],
  },
  { chain: 'ursa', at: at('2026-01-01T00:00'), entries: [fiat(null, 'EUR', '0.333333333333')] },
];
