import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { DataSource } from 'typeorm';
import { bringInYear, YEAR_CHAIN } from '../../src/cli/demo-year.js';
import { createDataSource } from '../../src/platform/database.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { openPage, startBrowser } from '../support/browser.js';
import { faultsOf, ofViews, rowsOfReport, sampleOf, type Sample } from '../support/counted-samples.js';
import { DESK, findFlaws } from '../support/dashboard-world.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { projectAll } from '../support/read-models.js';
import { ServiceHome, type ServiceProcess } from '../support/service-process.js';

/** A time soon after the frozen incident of the demo's sample year. */
const END = Date.parse('2026-11-27T21:47:00Z');
/** Time after the first sign at which the incident is viewed: it lasts for hours. */
const INTO_IT_MS = 3 * 3_600_000;
/** Half a year, up to the end of the last month. */
const SPAN = {
  from: '2026-05-01T00:00:00Z',
  to: '2026-12-01T00:00:00Z',
  end: new Date(END - 60_000).toISOString(),
};
const SAMPLE_EVERY_MS = 500;

/** The year is imported once: a service counts it, then pages show it. */
let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await startTestDatabase();
  dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
  await bringInYear(dataSource, END);
}, 300_000);

afterAll(async () => {
  await dataSource?.destroy();
  await database?.stop();
});

describe('half a year of an imported log', () => {
  const home = new ServiceHome();
  let service: ServiceProcess;

  afterAll(() => home.clear());

  it('is queried from the first moment, and never reports a figure as known that differs at the end', async () => {
    const samples: Sample[] = [];
    const early = await ofViews(dataSource);
    service = home.launch(['start', '--role', 'archive', '--port', '0'], { databaseUrl: database.url });
    await service.ready;
    const { address } = service;
    const report = home.run(reportArgs(), { databaseUrl: database.url });
    let isSettled = false;
    while (!isSettled) {
      isSettled = await isCounted();
      samples.push(await sampleOf(address, dataSource, SPAN));
      await sleep(SAMPLE_EVERY_MS);
    }
    const final = samples.at(-1) ?? {};
    const told = await report;
    samples.unshift(early);
    samples.push({ report: rowsOfReport(told.out) });
    const again = await home.runHere(reportArgs(), database.url);
    const truth: Sample = { ...final, report: rowsOfReport(again.out) };
    expect(again.code).toBe(0);
    expect(await service.kill('SIGTERM')).toBe(0);

    expect(samples.flatMap((sample) => faultsOf(sample, truth))).toEqual([]);
    // Samples were taken while nothing, a part and everything was counted.
    const counted = samples.map(
      ({ byMonth = [] }) => byMonth.filter((row) => row['counted'] === true).length,
    );
    expect(counted).toContain(0);
    expect(counted.at(-2)).toBe(truth['byMonth']?.length);
    expect(truth['byMonth']?.some(({ attempts }) => Number(attempts) > 100)).toBe(true);
    // A report was complete, or its exit code said otherwise.
    expect([told.code, rowsOfReport(told.out).every((row) => row['counted'])]).toEqual(
      told.code === 0 ? [0, true] : [1, false],
    );
  });

  const reportArgs = () => [
    'report',
    '--chain',
    YEAR_CHAIN,
    '--format',
    'json',
    '--from',
    SPAN.from.slice(0, 7),
  ];

  async function isCounted(): Promise<boolean> {
    const [row] = await dataSource.query<{ late: boolean; counted: boolean }[]>(
      `SELECT late, counted FROM reporting.unread
        WHERE read_position = log_position AND EXISTS (SELECT FROM statistic)`,
    );
    return row?.late === false && row.counted;
  }
});

describe('the browser for the journeys', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('the journeys of the documents', () => {
  let api: ApiServer;
  let browser: Browser;
  /** A moment during the demo's frozen incident. */
  let asOf: string;

  beforeAll(async () => {
    api = await startApi(database.url, { clock: new ManualClock(END + 60_000) });
    // Nothing is left to do once the service above has counted the year.
    await projectAll(api.dataSource);
    const rollUp = new RollUp(api.dataSource);
    while ((await rollUp.run(() => true)) > 0);
    const { incidents } = await api.read<{ incidents: { nodes: { from: string }[] } }>(
      '{ incidents(filter: { nodes: ["made-up-b"], severities: [CRITICAL] }, first: 1) { nodes { from } } }',
    );
    asOf = new Date(Date.parse(incidents.nodes[0]?.from ?? '') + INTO_IT_MS).toISOString();
    browser = await startBrowser();
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await api?.stop();
  });

  /** Presses Tab until a matching element has the focus. @param fits an expression about the element `at` */
  async function tabTo(page: Page, fits: string): Promise<void> {
    for (let stop = 0; stop < 400; stop += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(`((at) => ${fits})(document.activeElement)`)) return;
    }
    throw new Error(`no key leads to where ${fits}`);
  }

  /** Tabs to a link or button with these words, in itself or its row, and follows it. */
  async function press(page: Page, name: RegExp): Promise<void> {
    await tabTo(
      page,
      `['A', 'BUTTON'].includes(at.tagName) && [at.ariaLabel, at.innerText, at.closest('tr')?.innerText]
         .some((text) => text && text.length < 400 && ${name}.test(text))`,
    );
    await page.keyboard.press('Enter');
  }

  const labelled = (words: string): string =>
    `at.closest('label')?.innerText.startsWith(${JSON.stringify(words)})`;

  const click = async (page: Page, name: RegExp): Promise<void> => {
    const row = page.locator('tr', { hasText: name }).getByRole('link');
    const direct = page.getByRole('link', { name }).or(page.getByRole('button', { name }));
    await row.or(direct).first().click();
  };

  /** Follows `docs/journey-forensics.md`: front page, frozen incident, first waiting block, its submission, post-mortem. */
  it.each([
    ['mouse', click],
    ['keyboard', press],
  ] as const)('the journey of a frozen DA layer works by %s alone', async (way, follow) => {
    const { page, errors } = await openPage(browser, `${api.url}/?asOf=${asOf}`, DESK);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('region', { name: /^Open incidents/ }).waitFor();
    await follow(page, /Finality frozen/);
    await page.locator('h1', { hasText: /Finality frozen: made-up-.* \(made-up-year\)/ }).waitFor();
    await page.getByText(/First block waiting: \d+/).waitFor();
    if (way === 'mouse') expect(await findFlaws(page)).toEqual([]);
    await follow(page, /First block waiting/);
    await page.locator('h1', { hasText: /Block \d+ of made-up-year/ }).waitFor();
    await page.locator('tr', { hasText: 'unconfirmed' }).first().waitFor();
    await follow(page, /unconfirmed/);
    await page.locator('h1', { hasText: 'Submission' }).waitFor();
    await page.getByText('no block shows it yet').waitFor();
    await page.goBack();
    await page.goBack();
    // The outcome is shown as known today.
    await page.locator('h1', { hasText: /Finality frozen: made-up-.* \(made-up-year\)/ }).waitFor();
    await follow(page, /Back to now/);
    await page.getByText('Copy the post-mortem').waitFor();
    // The link appears later than the button, in front of it.
    await page.getByText(/First block waiting: \d+/).waitFor();
    await follow(page, /Copy the post-mortem/);
    await page.getByText('Copied').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toMatch(/^# [^]*## What happened\n\n[^]*## Impact[^]*## Timeline[^]*intervalReport/);
    expect(errors).toEqual([]);
    await page.close();
  });

  const WAYS = [
    {
      way: 'mouse',
      follow: click,
      enter: (page: Page, label: string) => page.getByLabel(label).click({ clickCount: 3 }),
      choose: (page: Page, label: string, choice: string) => page.getByLabel(label).selectOption(choice),
    },
    {
      way: 'keyboard',
      follow: press,
      enter: async (page: Page, label: string) => {
        await tabTo(page, labelled(label));
        await page.keyboard.press('Control+A');
      },
      choose: async (page: Page, label: string, choice: string) => {
        await tabTo(page, labelled(label));
        await page.keyboard.type(choice);
      },
    },
  ];

  /** Follows `docs/journey-cost.md`, then `docs/journey-bi.md`: a quarter, its gaps, other batches; a year as a file. */
  it.each(WAYS)(
    'the journeys of cost and of other tools work by $way alone',
    async ({ way, follow, enter, choose }) => {
      const { page, errors } = await openPage(browser, api.url, DESK);
      await page.keyboard.press('/');
      await page.keyboard.type('made-up-year');
      await page.getByRole('list', { name: 'Found' }).getByRole('link').first().waitFor();
      await follow(page, /^Chain made-up-year/);
      await page.locator('h1', { hasText: 'Chain' }).waitFor();
      await follow(page, /^Cost of made-up-year/);
      await page.getByText('November 2026 compared with October 2026').waitFor();
      await follow(page, /^quarter$/);
      await page.getByText('Q4 2026 compared with Q3 2026').waitFor();
      await follow(page, /^Shown: earlier$/);
      await page.getByText('Q3 2026 compared with Q2 2026').waitFor();
      expect(await page.locator('tr', { hasText: /^Covered/ }).innerText()).toMatch(/\d%/);
      expect(await page.locator('.chart canvas').count()).toBe(2);
      if (way === 'mouse') expect(await findFlaws(page)).toEqual([]);
      await follow(page, /^August 2026/);
      await page.locator('h1', { hasText: 'Chain' }).waitFor();
      await page.getByRole('region', { name: /attempts may have been missed/ }).waitFor();
      await page.getByRole('region', { name: /^Gaps/ }).waitFor();
      await page.goBack();
      await page.getByText('Q3 2026 compared with Q2 2026').waitFor();
      await enter(page, 'Blocks per batch');
      await page.keyboard.type('5');
      await page.keyboard.press('Enter');
      await page.locator('tr', { hasText: /^every 5 blocks/ }).waitFor();
      await page.goto(`${api.url}/cost?chain=made-up-year`);
      await follow(page, /^year$/);
      await page.getByText('2026 compared with 2025').waitFor();
      // A part of a year is not compared with another year without a word.
      await page.getByText('recorded only from October 2025').waitFor();
      await choose(page, 'Grouped by', 'namespace');
      await page.waitForURL(/by=NAMESPACE/);
      await page.getByRole('link', { name: 'Days (CSV)' }).waitFor();
      const [file] = await Promise.all([page.waitForEvent('download'), follow(page, /^Days \(CSV\)$/)]);
      const [head = '', first = ''] = readFileSync(await file.path(), 'utf8').split('\n');
      expect(head).toMatch(/^time,node,chain,namespace,/);
      expect(first).toMatch(/^2026-.*,[0-9a-f]{58},/);
      expect(errors).toEqual([]);
      await page.close();
    },
  );
});
