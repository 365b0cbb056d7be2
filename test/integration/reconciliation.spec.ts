import { Decimal } from '../../src/domain/cost/decimal.js';
import { CELESTIA_GAS, feeOf, gasOf } from '../../src/domain/cost/pay-for-blobs.js';
import { readChainReport } from '../../src/statistics/read/cost/chain-report.reader.js';
import { noteReport } from '../../src/api/reports/report-notes.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { appendLog } from '../support/append-log.js';
import { ManualClock } from '../support/manual-clock.js';
import { appendTo } from '../support/record-log.js';
import { SmallLog } from '../support/small-log.js';
import { openPage, startBrowser } from '../support/browser.js';
import { DESK } from '../support/dashboard-world.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { useApi } from '../support/use-database.js';

type Row = Record<string, unknown>;

const DAY_MS = 86_400_000;

const SHARED = `celestia1${'q'.repeat(38)}`;
const OTHER = `celestia1${'p'.repeat(38)}`;
const us = (seconds: number): bigint => BigInt(SmallLog.START + seconds * 1_000) * 1_000n;
/** Of a node that changes its account, and of one whose chain is unknown. */
const [OLD, NEW, STRAY] = ['u', 'v', 'w'].map((letter) => `celestia1${letter.repeat(38)}`) as [
  string,
  string,
  string,
];
const at = (seconds: number): string => new Date(SmallLog.START + seconds * 1_000).toISOString();

/** One blob of 331 bytes, one share, at 0.004 utia. */
const FEE = Number(feeOf(gasOf(1n, 1n, CELESTIA_GAS), Decimal.parse('0.004') as Decimal));

const PRICE = { effectiveFrom: null, subject: 'GAS_PRICE' as const, value: { utia: '0.004' } };

const log = new SmallLog();
const balance = (node: string, amount: number, height: number | null, account = SHARED): void =>
  appendTo(log.events, `${node}/daNode`, [
    {
      type: 'BalanceObserved',
      observedAt: SmallLog.START + log.now,
      body: {
        account,
        amount: String(amount),
        height: height === null ? null : String(height),
        detail: '',
      },
    },
  ]);

/** alpha of lab-1 and gamma of lab-3 share an account; beta of lab-1 has its own; nobody knows who pays for plain of lab-1. */
describe('an account that two rollups share', () => {
  const api = useApi({ clock: new ManualClock(SmallLog.START + 3 * DAY_MS) });

  beforeAll(async () => {
    for (const [node, chain] of [
      ['alpha', 'lab-1'],
      ['beta', 'lab-1'],
      ['plain', 'lab-1'],
      ['gamma', 'lab-3'],
      ['delta', 'lab-4'],
    ] as const)
      log.register(node, chain).describe(node, chain);
    log.register('stray');
    for (const chain of ['lab-1', 'lab-3', 'lab-4'])
      appendTo(log.events, `${chain}/operator`, [
        { type: 'PriceSet', observedAt: SmallLog.START, body: { entries: [PRICE], source: 'a test' } },
      ]);
    const post = (second: number, node: string, da: number): void => {
      log.now = second * 1_000;
      log.rows(node, [{ da }]);
    };
    const reads = (second: number, amount: number, height: number | null): void => {
      log.now = second * 1_000;
      balance('alpha', amount, height);
    };
    post(1, 'alpha', 100);
    for (const node of ['beta', 'plain', 'gamma', 'delta']) log.watch(node);
    log.now = 5_000;
    balance('beta', 50_000, 100, OTHER);
    balance('delta', 1_000, 100, OLD);
    balance('stray', 1_000, 100, STRAY);
    balance('alpha', 1_000_000, 100);
    balance('gamma', 1_000_000, 100);
    post(10, 'alpha', 101);
    post(12, 'gamma', 103);
    post(14, 'beta', 104);
    reads(60, 1_000_000 - 2 * FEE, 110);
    post(70, 'alpha', 112);
    reads(90, 1_500_000 - 3 * FEE, 120);
    reads(100, 1_499_950 - 3 * FEE, null);
    post(120, 'gamma', 124);
    reads(130, 1_499_300 - 4 * FEE, 130);
    post(150, 'plain', 134);
    log.now = 160_000;
    log.rows('gamma', [{ status: 'Error' }]);
    reads(180, 1_499_300 - 4 * FEE, 140);
    log.now = 240_000;
    for (const node of ['alpha', 'beta', 'plain', 'gamma']) log.watch(node);
    log.now = DAY_MS + 1_200_000;
    balance('beta', 50_000, 9_000, OTHER);
    balance('delta', 90_000, 9_000, NEW);
    balance('stray', 900, 9_000, STRAY);
    post(86_400 + 1_800, 'beta', 9_100);
    post(86_400 + 1_800, 'delta', 9_100);
    log.now = DAY_MS + 2_400_000;
    balance('beta', 50_000 - FEE, 9_200, OTHER);
    balance('delta', 90_000 - FEE, 9_200, NEW);
    balance('stray', 900, 9_200, STRAY);
    log.now = 2 * DAY_MS;
    for (const node of ['beta', 'delta']) log.watch(node);
    await appendLog(api.dataSource, log.events);
  });

  const FIELDS = `account from to fromHeight toHeight opening closing feeMin feeMax topUpMin topUpMax failedFeeMax differenceMin
    differenceMax agrees complete chains { chain submissions feeMin feeMax }`;
  const reconcile = async (from: number, to: number, account = SHARED, more = ''): Promise<Row | null> => {
    const { reconciliation } = await api.read<{ reconciliation: Row | null }>(
      `{ reconciliation(account: "${account}", from: "${at(from)}", to: "${at(to)}"${more}) { ${FIELDS} } }`,
    );
    return reconciliation;
  };

  it('agrees where only submissions were paid, each by the height of its block', async () => {
    expect(await reconcile(0, 61)).toEqual({
      account: SHARED,
      from: at(5),
      to: at(60),
      fromHeight: '100',
      toHeight: '110',
      opening: '1000000',
      closing: String(1_000_000 - 2 * FEE),
      feeMin: String(2 * FEE),
      feeMax: String(2 * FEE),
      topUpMin: '0',
      topUpMax: '0',
      failedFeeMax: '0',
      differenceMin: '0',
      differenceMax: '0',
      agrees: true,
      complete: true,
      chains: ['lab-1', 'lab-3'].map((chain) => ({
        chain,
        submissions: '1',
        feeMin: String(FEE),
        feeMax: String(FEE),
      })),
    });
  });

  it('tells a top-up by the fees that it hides, and other spending apart from it', async () => {
    expect(await reconcile(0, 140)).toMatchObject({
      toHeight: '130',
      feeMin: String(4 * FEE),
      topUpMin: '500000',
      topUpMax: '500000',
      differenceMin: '700',
      differenceMax: '700',
      agrees: false,
    });
  });

  it('bounds the part of submissions that nobody is known to have paid', async () => {
    expect(await reconcile(125, 200)).toMatchObject({
      from: at(90),
      fromHeight: '120',
      toHeight: '140',
      feeMin: String(FEE),
      feeMax: String(2 * FEE),
      failedFeeMax: String(FEE),
      differenceMin: String(700 - 2 * FEE),
      differenceMax: '700',
      agrees: false,
    });
  });

  it('counts for a new account what its node paid since it changed accounts', async () => {
    const [from, to] = [86_400 + 1_000, 86_400 + 3_000];
    expect(await reconcile(from, to, NEW)).toMatchObject({
      feeMin: String(FEE),
      differenceMin: '0',
      differenceMax: '0',
      agrees: true,
    });
    expect(await reconcile(0, 61, NEW)).toBeNull();
  });

  it('proves nothing of an account whose node has no chain yet', async () => {
    expect(await reconcile(86_400, 86_400 + 3_000, STRAY)).toMatchObject({
      chains: [],
      complete: false,
      differenceMin: null,
      agrees: null,
    });
  });

  it('is null without two balances, and refuses times that are no range or too long', async () => {
    expect(await reconcile(0, 61, `celestia1${'z'.repeat(38)}`)).toBeNull();
    expect(await reconcile(200, 240)).toBeNull();
    expect(await reconcile(0, 240, SHARED, `, knownAt: "${at(-60)}"`)).toBeNull();
    const codes = async (from: number, to: number): Promise<string[]> =>
      api.codesOf(
        `{ reconciliation(account: "${SHARED}", from: "${at(from)}", to: "${at(to)}") { account } }`,
      );
    expect(await codes(60, 60)).toEqual(['BAD_USER_INPUT']);
    expect(await codes(0, 32 * 86_400)).toEqual(['TOO_EXPENSIVE']);
  });

  it('is a line of the report, and a row of each day in SQL', async () => {
    const question = {
      bucket: 'HOUR' as const,
      groupBy: [],
      timeZone: undefined,
      knownAtUs: undefined,
      pricesAsOfUs: undefined,
      nowUs: us(320),
    };
    const notesOf = async (from: number, to: number): Promise<string[]> =>
      noteReport(
        await readChainReport(
          api.dataSource,
          { chain: 'lab-1', zone: 'UTC', extent: { fromUs: us(0), lastUs: us(240) } },
          { ...question, from: () => us(from), to: () => us(to) },
        ),
      ).filter((note) => note.startsWith(`Account ${SHARED}`));
    expect(await notesOf(0, 61)).toEqual([
      `Account ${SHARED}, 2026-11-21 00:00 to 2026-11-21 00:01: the balance agrees with the fees of its submissions, 0.000640 TIA.`,
    ]);
    expect(await notesOf(0, 140)).toEqual([
      `Account ${SHARED}, 2026-11-21 00:00 to 2026-11-21 00:02: the balance fell by 0.000700 TIA more than the fees of its submissions, 0.001280 TIA. No submission of these chains explains it.`,
    ]);
    expect(await notesOf(181, 240)).toEqual([
      `Account ${SHARED} is not compared with its submissions: fewer than two balances of this time have a DA height.`,
    ]);
    await new RollUp(api.dataSource).run(() => true);
    const days = await api.dataSource.query<Row[]>(
      `SELECT account, day::text, opening_utia::text AS opening, closing_utia::text AS closing, top_up_utia::text AS "topUp",
              spent_utia::text AS spent, submissions::int, fee_min_utia::text AS fee,
              fee_max_utia::text AS dearest
         FROM reporting.reconciliation_daily WHERE account IN ('${SHARED}', '${OTHER}') ORDER BY account COLLATE "C", day`,
    );
    const day = { day: '2026-11-21', dearest: null };
    expect(days).toEqual([
      {
        ...day,
        account: OTHER,
        opening: '50000',
        closing: '50000',
        topUp: '0',
        spent: '0',
        submissions: 1,
        fee: String(FEE),
      },
      {
        account: OTHER,
        day: '2026-11-22',
        opening: '50000',
        closing: String(50_000 - FEE),
        topUp: '0',
        spent: String(FEE),
        submissions: 1,
        fee: String(FEE),
        dearest: String(FEE),
      },
      {
        ...day,
        account: SHARED,
        opening: '1000000',
        closing: String(1_499_300 - 4 * FEE),
        topUp: String(500_000 - FEE),
        spent: String(700 + 3 * FEE),
        submissions: 5,
        fee: String(5 * FEE),
      },
    ]);
  });

  itHasProgram('chromium');
  (hasProgram('chromium') ? it : it.skip)(
    'is on the page of cost, and the fleet shows how long the money lasts',
    async () => {
      const browser = await startBrowser();
      try {
        const { page } = await openPage(browser, `${api.url}/cost?chain=lab-1&period=DAY&at=${at(0)}`, DESK);
        const card = page.getByRole('region', { name: 'Paid from' });
        await card
          .getByText('the balance fell by 0.00006 to 0.0007 TIA more than the fees of its submissions')
          .waitFor();
        expect(await card.first().innerText()).toContain('Fewer than two balances of this time are known');
        await page.goto(`${api.url}/`);
        await page.getByRole('row', { name: /alpha/ }).getByText('balance lasts').waitFor();
        expect(await page.getByRole('row', { name: /plain/ }).getByText('balance lasts').count()).toBe(0);
      } finally {
        await browser.close();
      }
    },
    60_000,
  );
});
