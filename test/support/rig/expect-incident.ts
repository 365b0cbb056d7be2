import type { RiggedRecord, ToldFigures, ToldIncident } from './rigged-record.js';
import type { TrueFigures, TrueWaits, Truth } from './truth.js';

/** The longest time between polls of a node's list, and of its blocks and probes. */
export const POLL_MS = { list: 2_000, node: 5_000 };

/** How a fault must be reported. */
export interface ExpectedIncident {
  readonly node: string;
  readonly component: 'DA' | 'NODE';
  readonly severity: 'CRITICAL' | 'WARNING';
  readonly rule: string;
  /** The most frequent cause of failures; null without failures. */
  readonly cause: string | null;
  /** The text of the remedy for the cause or the rule. */
  readonly remedy: RegExp;
  /** How long the rule itself waits before it reports trouble, in milliseconds: see docs/health.md. */
  readonly ruleWaitsMs: number;
  readonly pollMs: number;
  /** Whether it was monitored until five minutes of calm had ended it. */
  readonly isOver: boolean;
  /** Whether each inclusion can be known: not if rows were lost, or were in another node's list. */
  readonly isInclusionKnown: boolean;
}

/** Compares the reports about a node with its true history: one incident, its cause, its first sign and its figures. */
export async function expectOneIncident(record: RiggedRecord, expected: ExpectedIncident): Promise<void> {
  const { node, component, severity, rule, cause } = expected;
  const all = await record.getIncidents(node);
  // Rows lost by a restart count as coverage trouble.
  const incidents = all.filter(({ subject }) => subject !== 'COVERAGE');
  expect(incidents.map((each) => [each.component, each.severity, each.rule])).toEqual([
    [component, severity, rule],
  ]);
  const [incident] = incidents as [ToldIncident];
  expect(incident.causes[0]?.cause.code ?? null).toBe(cause);
  expect(incident.remedy).toMatch(expected.remedy);
  const truth = record.truths.get(node);
  if (!truth) throw new Error(`nothing is known of ${node}`);
  const [beganAt = NaN] = truth.timesOf('fault-began');
  const failures = truth.attempts.filter(({ at, isSuccess }) => at >= beganAt && !isSuccess);
  // Two of the latest twenty attempts make a warning: nothing can be known before the second.
  const shownAt = cause !== null && expected.ruleWaitsMs === 0 ? (failures[1]?.at ?? NaN) : beganAt;
  const toldAt = await record.findToldAt(incident);
  expect({
    node,
    lateMs: toldAt - shownAt,
    late: toldAt - shownAt > expected.ruleWaitsMs + 2 * expected.pollMs,
  }).toEqual(expect.objectContaining({ late: false }));
  expect(Date.parse(incident.from)).toBeGreaterThanOrEqual(beganAt);
  expect(incident.to !== null).toBe(expected.isOver);
  // The last moments were not polled.
  const to = incident.to ?? new Date(record.endMs - 2 * POLL_MS.node).toISOString();
  const truly = truth.countIn(Date.parse(incident.from), Date.parse(to));
  const figures = await record.getFigures(incident, to);
  expectFigures(figures, truly, expected.isInclusionKnown);
  const [from, until] = [Date.parse(incident.from), Date.parse(to)];
  if (expected.isInclusionKnown) expectTrueWaits(figures, truth, { from, to: until, endMs: record.endMs });
}

/**
 * Compares how long blocks waited until they were shown as included with the truth. Each figure must be between its value with an
 * immediate poll and its value one poll interval later.
 *
 * @param endMs the time of the last poll
 */
export function expectTrueWaits(
  told: ToldFigures,
  truth: Truth,
  { from, to, endMs }: { readonly from: number; readonly to: number; readonly endMs: number },
): void {
  const { unknown, limitMs, ...figures } = told['waits'] as Readonly<Record<string, string | number | null>>;
  expect(unknown).toBe('0');
  const at = (seenAfterMs: number): TrueWaits =>
    truth.waitsIn(from, to, { end: endMs, limitMs: Number(limitMs), seenAfterMs });
  const [least, most] = [at(0), at(POLL_MS.node)];
  const outside = Object.entries(least).filter(([name, value]) => {
    const figure = Number(figures[name]);
    const isMeasured = name.endsWith('Ms');
    const slack = isMeasured ? ROUNDING_MS : 0;
    return figure < value - slack || figure > most[name as keyof TrueWaits] + slack;
  });
  expect({ outside, figures, least, most }).toMatchObject({ outside: [] });
}

/**
 * Compares the reports about a freeze with a time without polls to the truth: no more than the truth, and not much less.
 *
 * @param forMs the length of the freeze
 */
export async function expectWaitsAtLeast(
  record: RiggedRecord,
  incident: ToldIncident,
  forMs: number,
): Promise<void> {
  const { subject, from, nodeId, to } = incident;
  expect([subject, to === null]).toEqual(['FINALITY', false]);
  const until = to ?? '';
  const waits = (await record.getFigures(incident, until))['waits'] as Readonly<
    Record<string, string | number>
  >;
  const truly = record.truths.get(nodeId)?.waitsIn(Date.parse(from), Date.parse(until), {
    end: record.endMs,
    limitMs: Number(waits['limitMs']),
    seenAfterMs: POLL_MS.node,
  });
  if (!truly) throw new Error(`nothing is known of ${nodeId}`);
  expect(Number(waits['unknown'])).toBeGreaterThan(50);
  for (const name of ['delayed', 'transactionsDelayed', 'p95Ms', 'maxMs'] as const)
    expect(Number(waits[name])).toBeLessThanOrEqual(truly[name]);
  expect(truly.maxMs).toBeGreaterThan(forMs - 10_000);
  // Its node reports the progress of inclusion once a minute; the report of the minute of the kill may be lost.
  expect(Number(waits['maxMs'])).toBeGreaterThan(forMs - 100_000);
}

/** Times of blocks, rows and polls have digits below a millisecond, which the log of truth lacks. */
const ROUNDING_MS = 2.5;

function expectFigures(told: ToldFigures, truly: TrueFigures, isInclusionKnown: boolean): void {
  const blocks = told['blocks'] as Readonly<Record<string, string | number | null>>;
  expect({
    attempts: Number(told['attempts']),
    successes: Number(told['successes']),
    failures: Number(told['failures']),
    bytes: Number(told['sizeBytes']),
    blocks: Number(blocks['produced']),
    transactions: Number(blocks['transactions']),
  }).toEqual({
    attempts: truly.attempts,
    successes: truly.successes,
    failures: truly.failures,
    bytes: truly.bytes,
    blocks: truly.blocks,
    transactions: truly.transactions,
  });
  // Without records and polls the figure is unknown, and is not reported as zero.
  if (told['attempts'] === null) return expect(told['longestWithoutSuccessMs']).toBeNull();
  expectNear(
    'longestWithoutSuccessMs',
    Number(told['longestWithoutSuccessMs']),
    truly.longestWithoutSuccessMs,
  );
  if (!isInclusionKnown) return;
  expect({
    delayed: Number(blocks['delayed']),
    transactionsDelayed: Number(blocks['transactionsDelayed']),
  }).toEqual({ delayed: truly.delayed, transactionsDelayed: truly.transactionsDelayed });
  // A block may be made in the same millisecond in which others are posted.
  expect(truly.mostPending).toContain(Number(blocks['mostPending']));
  expectNear('lagMaxMs', Number(blocks['lagMaxMs']), truly.lagMaxMs);
  expectNear('lagP95Ms', Number(blocks['lagP95Ms']), truly.lagP95Ms);
}

function expectNear(what: string, told: number, truly: number): void {
  expect({ what, told, truly, isNear: Math.abs(told - truly) <= ROUNDING_MS }).toMatchObject({
    isNear: true,
  });
}
