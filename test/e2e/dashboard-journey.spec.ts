import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { bringInYear } from '../../src/cli/demo-year.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { openPage, startBrowser } from '../support/browser.js';
import { DESK, findFlaws } from '../support/dashboard-world.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { projectAll } from '../support/read-models.js';

/** A time soon after the frozen incident of the demo's sample year. */
const END = Date.parse('2026-11-27T21:47:00Z');
/** Time after the first sign at which the incident is viewed: it lasts for hours. */
const INTO_IT_MS = 3 * 3_600_000;

describe('the browser for the journeys', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('the journeys of the documents', () => {
  let database: TestDatabase;
  let api: ApiServer;
  let browser: Browser;
  /** A moment during the demo's frozen incident. */
  let asOf: string;

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, { clock: new ManualClock(END + 60_000) });
    await bringInYear(api.dataSource, END);
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
    await database?.stop();
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
