import { noteReport } from '../../src/api/reports/report-notes.js';
import type { ChainBudget } from '../../src/domain/cost/budget.js';
import { millisToMicros } from '../../src/domain/time.js';
import { readChainReport } from '../../src/statistics/read/cost/chain-report.reader.js';
import { getRecordedChains } from '../../src/statistics/read/plan/recorded-chains.query.js';
import { ManualClock } from '../support/manual-clock.js';
import { everyHour, StatisticsWorld } from '../support/statistics-world.js';
import { useApi } from '../support/use-database.js';

/** 20 May, noon in Berlin. */
const NOW = Date.parse('2026-05-20T10:00:00Z');
/** One header blob at 0.004 utia. */
const HOUR_UTIA = 320;

const of = (rule: string, per: ChainBudget['per'], more: Partial<ChainBudget> = {}): ChainBudget => ({
  rule,
  amount: '2.5',
  unit: 'TIA',
  per,
  scope: { chains: ['berlin-*'] },
  ...more,
});

describe('budgets of a chain', () => {
  const budgets = [
    of('daily', 'DAY'),
    of('monthly', 'MONTH'),
    of('quarterly', 'QUARTER', { yearStart: 2 }),
    of('fiscal', 'YEAR', { yearStart: 4 }),
    of('yearly', 'YEAR'),
    of('foreign', 'MONTH', { unit: 'EUR' }),
  ];
  const api = useApi({ clock: new ManualClock(NOW), budgets });
  const hoursUntil = (end: string): number => (Date.parse(end) - NOW) / 3_600_000;
  const tia = (hours: number): number => (hours * HOUR_UTIA) / 1e6;

  beforeAll(async () => {
    const world = new StatisticsWorld(api.dataSource);
    await world.addNodes();
    await world.addSubmissions(1, everyHour('2026-02-28T23:00:00Z', '2026-05-20T10:00:00Z', 30));
    await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '0.004' });
    await world.addCoverage('b1', '2026-02-28T23:00:00Z', '2026-05-20T10:00:00Z');
    await world.rollUp();
  });

  it('say what their running period has cost, and is expected to cost', async () => {
    const { data } = await api.ask<{
      chain: { budgets: { rule: string; current: Record<string, string | number | null> }[] };
    }>(
      '{ chain(id: "berlin-1") { budgets { rule per fiscalYearStart current { from to spent spentFloat expected expectedFloat } } } }',
    );
    const found = new Map(data?.chain.budgets.map(({ rule, current }) => [rule, current]));
    for (const [rule, from, to] of [
      ['monthly', '2026-04-30T22:00:00.000Z', '2026-05-31T22:00:00.000Z'],
      ['quarterly', '2026-04-30T22:00:00.000Z', '2026-07-31T22:00:00.000Z'],
      ['fiscal', '2026-03-31T22:00:00.000Z', '2027-03-31T22:00:00.000Z'],
    ] as const) {
      expect(found.get(rule)).toMatchObject({ from, to });
      expect(found.get(rule)?.['spentFloat']).toBeCloseTo(tia(-hoursUntil(from)), 6);
      const expected = tia(hoursUntil(to) - hoursUntil(from));
      expect([rule, Number(found.get(rule)?.['expectedFloat']) / expected]).toEqual([
        rule,
        expect.closeTo(1, 3),
      ]);
    }
    // Nothing is known of January and February: the cost so far is a lower bound.
    expect(found.get('yearly')).toMatchObject({
      from: '2025-12-31T23:00:00.000Z',
      to: '2026-12-31T23:00:00.000Z',
    });
    expect(found.get('yearly')?.['spentFloat']).toBeCloseTo(tia(-hoursUntil('2026-02-28T23:00:00Z')), 6);
    expect(found.get('daily')).toMatchObject({ from: '2026-05-19T22:00:00.000Z', expected: null });
    expect(found.get('foreign')).toMatchObject({ spent: null, expected: null });
  });

  it('are notes of a report, but not of a report of the past', async () => {
    const nowUs = millisToMicros(NOW);
    const [berlin] = await getRecordedChains(api.dataSource, nowUs);
    if (berlin === undefined) throw new Error('There is no chain.');
    const question = {
      bucket: 'MONTH',
      groupBy: [],
      from: undefined,
      to: undefined,
      timeZone: undefined,
      pricesAsOfUs: undefined,
      knownAtUs: undefined,
      nowUs,
      budgets,
    } as const;
    const notes = noteReport(await readChainReport(api.dataSource, berlin, question));
    const ofBudgets = notes.filter((note) => note.startsWith('Budget '));
    expect(ofBudgets).toHaveLength(budgets.length);
    expect(ofBudgets[3]).toMatch(
      /^Budget fiscal: 2\.5 TIA for the fiscal year \(2026-04-01 to 2027-03-31\); it has cost at least 0\.38016 TIA so far, and is expected to cost 2\.80\d+ TIA\.$/,
    );
    expect(ofBudgets[5]).toBe(
      'Budget foreign: 2.5 EUR for the month (2026-05-01 to 2026-05-31); its cost is unknown.',
    );
    const past = await readChainReport(api.dataSource, berlin, { ...question, knownAtUs: nowUs });
    expect(noteReport(past).filter((note) => note.startsWith('Budget '))).toEqual([]);
  });
});
