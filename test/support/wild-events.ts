import fc from 'fast-check';
import { SERVICE_CLAIMS } from '../../src/domain/claims.js';
import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import type { EventBodies, EventType, Polls } from '../../src/domain/events.js';
import { makeBlock } from './random-log.js';
import { DATA_NAMESPACE, HEADER_NAMESPACE } from './record-log.js';

/** An event with any content that a node or an older version can have left in a log, with the stream's subject. */
export interface WildEvent {
  readonly subject: string;
  readonly type: EventType;
  readonly body: unknown;
}

const INTEGERS = [
  '0',
  '1',
  '-1',
  '60',
  '2147483647',
  '2147483648',
  '9007199254740993',
  '4611686018427387904',
  '4611686018427387905',
  '9223372036854775806',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551614',
  '18446744073709551615',
  '-9223372036854775808',
  '99999999999999999999999999999999999999999999999999',
];
const ODD = ['NaN', 'Infinity', '-Infinity', '1e99', '1e-99', '1e400', '1.5', '0x10', '', 'null', '１'];
const TIMES = [
  '0001-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '2262-04-11T23:47:16.854775807Z',
  '9999-12-31T23:59:59.999999999Z',
  '+275760-09-13T00:00:00Z',
  '2026-11-21T00:00:05.123456789+14:00',
];

/** Most heights are small, so that blocks, gaps and rows meet. */
const integer = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 40 }).map(String), weight: 3 },
  { arbitrary: fc.constantFrom(...INTEGERS), weight: 1 },
);
const anyText = fc.oneof(
  fc.constantFrom('a\0b', '\ud800', '\udfff\ud800', 'x'.repeat(5_000), '\u{10ffff}', ''),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const double = fc.oneof(
  fc.integer({ min: 0, max: 5_000 }),
  fc.constantFrom(-1, 1.5, 2_147_483_648, 2 ** 53, 1e99, 1e300, -1e300, 8.64e15, -8.64e15, NaN, Infinity),
);
const at = Date.UTC(2026, 10, 21);
const looks = fc.option(double, { freq: 3 }).map((clock): Polls => ({
  first: at,
  last: at,
  count: 1,
  longestGapMs: 0,
  ...(clock !== null && { nodeClockBefore: clock, nodeClock: clock }),
}));

/** A value as JSON: a plain number, or text. */
const value = fc.oneof(
  { arbitrary: integer, weight: 4 },
  {
    arbitrary: fc.constantFrom(
      '1e99',
      '1e400',
      '-1e400',
      '1e-99',
      '0.004',
      '1e30',
      'null',
      '[]',
      '{}',
      'true',
    ),
    weight: 2,
  },
  { arbitrary: fc.constantFrom(...ODD, ...TIMES).map((text) => JSON.stringify(text)), weight: 2 },
  { arbitrary: anyText.map((text) => JSON.stringify(text)), weight: 1 },
);
const row = fc
  .record({
    height: value,
    blob_size: value,
    num_blobs: value,
    gas_price: value,
    timestamp: fc.oneof(value, fc.constant('"2026-11-21T00:00:00.25Z"')),
    status_code: fc.constantFrom('"Success"', '"Success"', '"Error"', '"Context Deadline"', '"\\u0000"', '7'),
    namespace: fc.constantFrom(`"${HEADER_NAMESPACE}"`, `"${DATA_NAMESPACE}"`, '"zz"', '""', '5'),
    message: fc.oneof(
      fc.constant('"websocket connection closed"'),
      anyText.map((text) => JSON.stringify(text)),
    ),
  })
  .map(
    (fields) =>
      `{${Object.entries(fields)
        .map(([name, value]) => `"${name}":${value}`)
        .join(',')}}`,
  );

const place = { chain: 'wild-1', lineage: 1 };

const latency = fc.record({
  count: double,
  minMs: double,
  meanMs: double,
  p50Ms: double,
  p99Ms: double,
  maxMs: double,
});

/**
 * Any event with data from a node, which may have any content.
 *
 * @param texts the content of heights and times: integers, as every observer writes them, or anything
 */
export function wildEvent(texts: 'INTEGERS' | 'ANYTHING'): fc.Arbitrary<WildEvent> {
  const strange = { arbitrary: fc.constantFrom(...ODD), weight: texts === 'ANYTHING' ? 1 : 0 };
  const odd = fc.oneof({ arbitrary: integer, weight: 4 }, strange);
  const oddOrNull = fc.option(odd, { freq: 5 });
  return fc.oneof(
    event(
      'submissions',
      'SubmissionsObserved',
      fc.record({ looks, rows: fc.array(row, { minLength: 1, maxLength: 4 }) }),
    ),
    event('blocks', 'BlocksObserved', blocksOf(odd)),
    event(
      'blocks',
      'BlockInclusionObserved',
      fc
        .array(fc.tuple(odd, oddOrNull, oddOrNull), { maxLength: 4 })
        .map((heights) => ({ ...place, heights })),
    ),
    event(
      'blocks',
      'BlocksPruned',
      fc.record({ from: odd, to: odd }).map((range) => ({ ...place, ...range })),
    ),
    event(
      'blocks',
      'BlockUnreadable',
      odd.map((height) => ({ ...place, height, detail: '' })),
    ),
    event(
      'blocks',
      'NodeProgressObserved',
      fc.record({
        looks,
        head: oddOrNull,
        headTimeNs: oddOrNull,
        daIncluded: oddOrNull,
        lastSubmittedHeader: oddOrNull,
        lastSubmittedData: oddOrNull,
        headerStoreHead: oddOrNull,
        oldest: oddOrNull,
        firstPending: oddOrNull,
        clockOffsetMs: fc.option(double),
        lacks: fc.option(fc.array(anyText, { maxLength: 3 })),
      }),
    ),
    event(
      'submissions',
      'SubmissionWindowLost',
      fc.record({ looks, minLost: double, maxLost: fc.option(double), likelyLost: fc.option(double) }),
    ),
    event(
      'submissions',
      'SubmissionSourceChanged',
      fc.record({ looks, state: fc.constantFrom('AVAILABLE', 'INVALID', 'UNREACHABLE'), detail: anyText }),
    ),
    event(
      'node',
      'NodeDescribed',
      fc.record({
        chain: fc.oneof(fc.constant('wild-1'), anyText),
        servicePrefix: anyText,
        shape: fc.constant('SPEC'),
        aggregator: fc.boolean(),
        headerNamespace: fc.option(fc.oneof(fc.constant(HEADER_NAMESPACE), anyText)),
        dataNamespace: fc.option(fc.oneof(fc.constant(DATA_NAMESPACE), anyText)),
      }),
    ),
    event(
      'probes',
      'ProbeChanged',
      fc.record({
        looks,
        probe: fc.constantFrom('live', 'ready', 'status'),
        outcome: fc.constantFrom('OK', 'FAILED', 'INVALID'),
        statusCode: fc.option(double),
        detail: anyText,
        latencyMs: fc.option(double),
        catchingUp: fc.option(fc.boolean()),
      }),
    ),
    event(
      'probes',
      'ProbesSummarised',
      fc
        .record({ ok: double, failed: double, latency: fc.option(latency) })
        .map((live) => ({ probes: { live } })),
    ),
    event(
      'claims',
      'DaHealthClaimed',
      fc.record({ looks, status: fc.option(anyText), body: fc.jsonValue() }),
    ),
    event('claims', 'DaStatsClaimed', fc.record({ looks, body: fc.jsonValue() })),
    event(
      'claims',
      'ServiceClaimed',
      fc.record({ kind: fc.constantFrom(...SERVICE_CLAIMS), body: fc.jsonValue() }),
    ),
    ...daNodeEvents(odd),
  );
}

function daNodeEvents(odd: fc.Arbitrary<string>): fc.Arbitrary<WildEvent>[] {
  const token = fc.record({
    permissions: fc.array(anyText, { maxLength: 2 }),
    expiresAt: fc.option(fc.oneof(fc.constantFrom(...TIMES), anyText)),
  });
  return [
    event(
      'daNode',
      'DaNodeChanged',
      fc.record({
        looks,
        outcome: fc.constantFrom('OK', 'UNREACHABLE', 'REFUSED', 'NOT_PERMITTED', 'INVALID'),
        statusCode: fc.option(double),
        detail: anyText,
        token: fc.option(token),
      }),
    ),
    event(
      'daNode',
      'DaHeadObserved',
      fc.record({
        looks,
        chain: fc.option(anyText),
        height: odd,
        timeNs: odd,
        syncTo: fc.option(odd),
        sampling: fc.option(fc.record({ isRunning: fc.boolean(), failed: double, head: odd })),
        consensus: fc.option(fc.record({ height: odd, timeNs: odd })),
      }),
    ),
    event(
      'daNode',
      'BalanceObserved',
      fc.record({
        account: fc.oneof(fc.constantFrom('celestia1q', 'celestia1p'), anyText),
        amount: fc.option(odd),
        height: fc.option(odd),
        detail: anyText,
      }),
    ),
  ];
}

function blocksOf(odd: fc.Arbitrary<string>): fc.Arbitrary<object> {
  const oddOrNull = fc.option(odd, { freq: 5 });
  return fc
    .tuple(
      fc.integer({ min: 1, max: 35 }),
      fc.array(fc.record({ header: oddOrNull, data: oddOrNull, time: odd, size: double }), {
        minLength: 1,
        maxLength: 4,
      }),
    )
    .map(([from, all]) => {
      const records = all.map((_, index) =>
        makeBlock({ height: BigInt(from + index), timeMs: at, dataBytes: index % 2 === 0 ? 200 : 0 }),
      );
      const sizes = all.map(({ size }) => size);
      return {
        ...place,
        ...packBlocks(records),
        headerDaHeights: all.map(({ header }) => header),
        dataDaHeights: all.map(({ data }) => data),
        times: all.map(({ time }) => time),
        txBytes: sizes,
        headerBlobBytes: sizes,
        dataBlobBytes: sizes,
        ...(from % 3 === 0 && { txCounts: sizes }),
        ...(from % 5 === 0 && { versionBlock: all.map(({ time }) => time) }),
      };
    });
}

function event<T extends EventType>(
  subject: string,
  type: T,
  body: fc.Arbitrary<Partial<{ [K in keyof EventBodies[T]]: unknown }>>,
): fc.Arbitrary<WildEvent> {
  // A log contains JSON, in which NaN and infinity are null.
  return body.map((each) => ({ subject, type, body: JSON.parse(JSON.stringify(each)) as unknown }));
}
