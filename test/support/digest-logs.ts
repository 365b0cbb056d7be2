import fc from 'fast-check';
import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { encodeBody } from '../../src/event-log/logged-event.js';
import { badRows, goodRows, type LoggedRow } from './bad-neighbour.js';
import { generateYear } from './generated-year/year-log.js';
import { observeRecording } from './observed-recording.js';
import { randomLog } from './random-log.js';
import { appendTo, DATA_NAMESPACE, HEADER_NAMESPACE, recordLog } from './record-log.js';
import { seededRandom } from './seeded-random.js';
import { tellStepped } from './stepped-log.js';
import { twinLog } from './twin-log.js';
import { wildEvent } from './wild-events.js';
import { logWith } from './wild-log.js';

/** An event as a row of the log, without its position. Times are Unix microseconds. */
export interface DigestedEvent {
  readonly stream: string;
  readonly type: string;
  readonly observedAt: bigint;
  readonly recordedAt: bigint;
  readonly body: string;
}

/** A log whose tables are digested; the same events each time. */
export interface DigestedLog {
  readonly name: string;
  /** Events that a projection applies at once. */
  readonly batchSize: number;
  readonly make: () => DigestedEvent[];
}

const CUTS = [
  [20_000, 140_000],
  [60_000, 180_000],
  [100_000, 220_000],
  [115_000, 235_000],
] as const;

/** The logs of recorded real nodes: whole, with gaps of two minutes, and as observed for health. */
export function recordedLogs(): DigestedLog[] {
  const ofNodes = (nodes: readonly ('aggregator' | 'follower')[]): DigestedLog[] => [
    toLog(`recorded ${nodes.join(' and ')}`, 1_000, () => recordLog({ nodes, every: 500 })),
    ...CUTS.map(([from, to]) =>
      toLog(`recorded ${nodes.join(' and ')} without ${from} to ${to}`, 97, () =>
        recordLog({ nodes, cut: { from, to } }),
      ),
    ),
  ];
  return [
    ...ofNodes(['aggregator']),
    ...ofNodes(['aggregator', 'follower']),
    ...[1, 2, 3].map((seed) =>
      toLog(`observed aggregator ${seed}`, 50, () => observeRecording(seededRandom(seed)).events),
    ),
  ];
}

/** A year of four chains with prices, imported fees and zones. */
export function generatedYear(): DigestedLog {
  const make = (): DigestedEvent[] =>
    generateYear(1).events.map(({ stream, event }) => {
      const at = BigInt(event.observedAt) * 1_000n;
      return { stream, type: event.type, observedAt: at, recordedAt: at, body: encodeBody(event) };
    });
  return { name: 'generated year 1', batchSize: 1_000, make };
}

const KINDS = ['random', 'twins', 'slow', 'bad neighbour', 'wild', 'stepped'] as const;
const BATCH_SIZES = [1_000, 7, 50, 1, 13];

/** Synthetic logs with seeds from 1 on, alternating between all kinds. */
export function madeUpLogs(count: number): DigestedLog[] {
  return Array.from({ length: count }, (_, index) => {
    const seed = index + 1;
    const kind = KINDS[index % KINDS.length] ?? 'random';
    const batchSize = BATCH_SIZES[index % BATCH_SIZES.length] ?? 1;
    return { name: `${kind} ${seed}`, batchSize, make: () => makeUp(kind, seed) };
  });
}

function makeUp(kind: (typeof KINDS)[number], seed: number): DigestedEvent[] {
  const random = seededRandom(seed);
  switch (kind) {
    case 'random':
      return toEvents(withMore(randomLog(random, 150), random));
    case 'twins':
      return toEvents(withMore(twinLog(random, 90), random));
    case 'slow':
      return toEvents(withMore(randomLog(random, 120, { pace: 300 }), random));
    case 'bad neighbour': {
      const good = goodRows(random, 150);
      const chains = seed % 2 === 0 ? ['bad', 'worse'] : ['made-up', 'bad'];
      return inOrder([...good, ...badRows(random, 200, { good: good.length, chains })]);
    }
    case 'wild': {
      const events = fc.array(wildEvent('INTEGERS'), { minLength: 10, maxLength: 40, size: 'max' });
      return toEvents(fc.sample(events, { seed, numRuns: 1 }).flatMap(logWith));
    }
    case 'stepped':
      return toEvents(makeStepped(random));
    default:
      return kind satisfies never;
  }
}

function makeStepped(random: () => number): RecordedEvent[] {
  const lasts = 300 + Math.floor(random() * 600);
  const place = (): number => Math.floor(random() * lasts);
  const steps = [place(), place()].sort((a, b) => a - b);
  const offBy = (): number => Math.round((random() - 0.5) * 10 ** (1 + 4 * random()));
  const down = place();
  return tellStepped({
    lasts,
    steps: steps.map((at) => ({ at, offBy: offBy() })),
    isShared: random() < 0.5,
    down: [[down, down + Math.floor(random() * 120)]],
  }).events;
}

/** Inserts operators' entries about a chain into a log (its zone and limits, prices, fees), and its probes. */
function withMore(events: readonly RecordedEvent[], random: () => number): RecordedEvent[] {
  const log: RecordedEvent[] = [];
  const chain = 'made-up';
  const append = (stream: string, event: NewEvent): void => appendTo(log, stream, [event]);
  for (const { stream, type, body, observedAt: us } of events) {
    const observedAt = Number(us / 1_000n);
    append(stream, { type, body, observedAt } as NewEvent);
    const choice = random();
    if (choice < 0.01) append(`${chain}/chain`, settingsChanged(observedAt, random));
    else if (choice < 0.03) append(`${chain}/operator`, priceSet(observedAt, random));
    else if (choice < 0.05) append(`${chain}/operator`, feesImported(observedAt, random));
    else if (choice < 0.08) append('aggregator/probes', probesSummarised(observedAt, random));
  }
  return log;
}

function settingsChanged(observedAt: number, random: () => number): NewEvent {
  const reportingTimeZone = ['UTC', 'Europe/Berlin', 'Asia/Kolkata'][Math.floor(random() * 3)] ?? 'UTC';
  const some: Record<string, number> = { silentAfterMs: 5_000, failingCount: 2 };
  const body = { reportingTimeZone, thresholds: random() < 0.5 ? {} : some, da: { layer: 'celestia' } };
  return { type: 'ChainSettingsChanged', observedAt, body };
}

function priceSet(observedAt: number, random: () => number): NewEvent {
  const from = new Date(observedAt - Math.floor((random() - 0.2) * 3_600_000)).toISOString();
  const effectiveFrom = random() < 0.3 ? null : from;
  const gas = { gasPerShareByte: '8', gasPerBlob: '500', fixedGas: '70000', signer: random() < 0.5 };
  const entries = [
    { effectiveFrom, subject: 'GAS_PRICE' as const, value: { utia: random().toFixed(6) } },
    { effectiveFrom, subject: 'FIAT_RATE' as const, value: { unit: 'EUR', perTia: random().toFixed(4) } },
    { effectiveFrom, subject: 'GAS_SCHEDULE' as const, value: gas },
  ].filter(() => random() < 0.6);
  return { type: 'PriceSet', observedAt, body: { entries, source: 'made up' } };
}

function feesImported(observedAt: number, random: () => number): NewEvent {
  const fees = Array.from({ length: 5 }, () => ({
    daHeight: String(1_001 + Math.floor(random() * 40)),
    namespace: [HEADER_NAMESPACE, DATA_NAMESPACE, null][Math.floor(random() * 3)] ?? null,
    // So few that later imports correct earlier ones.
    tx: random() < 0.3 ? null : `${Math.floor(random() * 8)}`.padStart(64, '0'),
    fee: String(Math.floor(random() * 5_000)),
  }));
  return { type: 'FeesImported', observedAt, body: { source: 'made up', fees } };
}

function probesSummarised(at: number, random: () => number): NewEvent {
  const p50Ms = 1 + random();
  const latency = { count: 12, minMs: 1, meanMs: p50Ms, p50Ms, p99Ms: 5 * p50Ms, maxMs: 12 };
  const live = { ok: 12, failed: Math.floor(random() * 3), latency };
  const probes = { live, ready: { ok: 0, failed: 3, latency: null } };
  const looks = { first: at - 50_000, last: at, count: 12, longestGapMs: 5_000 };
  return { type: 'ProbesSummarised', observedAt: at, body: { looks, from: at - 60_000, to: at, probes } };
}

function toLog(name: string, batchSize: number, make: () => readonly RecordedEvent[]): DigestedLog {
  return { name, batchSize, make: () => toEvents(make()) };
}

function toEvents(events: readonly RecordedEvent[]): DigestedEvent[] {
  return events.map(({ stream, type, observedAt, recordedAt, body }) => {
    const event = { type, body, observedAt: Number(observedAt / 1_000n) } as NewEvent;
    return { stream, type, observedAt, recordedAt, body: encodeBody(event) };
  });
}

/** Merges the rows of several logs into one log. */
function inOrder(rows: readonly LoggedRow[]): DigestedEvent[] {
  const sorted = rows.toSorted((a, b) => a.place - b.place);
  return sorted.map(({ stream, type, observedAt, body }) => {
    return { stream, type, observedAt, recordedAt: observedAt, body };
  });
}
