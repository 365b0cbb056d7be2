import type { Browser, Page } from 'playwright-core';
import { bringInYear } from '../../src/cli/demo-year/bring-in-year.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { openPage, startBrowser } from '../support/browser.js';
import { DESK, findFlaws } from '../support/dashboard-world.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { projectAll } from '../support/read-models.js';

/** The end of the demo's made-up year. */
const END = Date.parse('2026-11-25T21:47:00Z');
/** So long behind its first sign the incident is looked at: it goes on for hours. */
const INTO_IT_MS = 3 * 3_600_000;

describe('what walks the forensic journey', () => itHasProgram('chromium'));

/** As `docs/journey-forensics.md` goes: front page, frozen incident, first waiting block, its submission, post-mortem. */
(hasProgram('chromium') ? describe : describe.skip)('the forensic journey', () => {
  let database: TestDatabase;
  let api: ApiServer;
  let browser: Browser;
  /** Amidst the demo's frozen incident. */
  let asOf: string;

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, { clock: new ManualClock(END + 60_000) });
    await bringInYear(api.dataSource, END);
    await projectAll(api.dataSource);
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

  /** Goes to a link or a button by the key Tab alone, and follows it. */
  async function press(page: Page, name: RegExp): Promise<void> {
    for (let stop = 0; stop < 400; stop += 1) {
      await page.keyboard.press('Tab');
      const text = String(await page.evaluate('document.activeElement.innerText ?? ""'));
      const region = String(
        await page.evaluate('document.activeElement.closest("tr, nav, main")?.innerText ?? ""'),
      );
      if (/^[AB]/.test(String(await page.evaluate('document.activeElement.tagName'))))
        if (name.test(text) || (name.test(region) && region.length < 400))
          return page.keyboard.press('Enter');
    }
    throw new Error(`no key leads to ${name}`);
  }

  const click = async (page: Page, name: RegExp): Promise<void> => {
    const row = page.locator('tr', { hasText: name }).getByRole('link');
    const direct = page.getByRole('link', { name }).or(page.getByRole('button', { name }));
    await row.or(direct).first().click();
  };

  it.each([
    ['mouse', click],
    ['keyboard', press],
  ] as const)('is walked by %s alone', async (_, follow) => {
    const { page, errors } = await openPage(browser, `${api.url}/?asOf=${asOf}`, DESK);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('region', { name: /^Open incidents/ }).waitFor();
    await follow(page, /no block was shown as included/);
    await page.locator('h1', { hasText: 'DA of made-up-b' }).waitFor();
    await page.getByText(/The first block that waited: \d+/).waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await follow(page, /The first block that waited/);
    await page.locator('h1', { hasText: /Block \d+ of made-up-year/ }).waitFor();
    await page.locator('tr', { hasText: 'unconfirmed' }).first().waitFor();
    await follow(page, /unconfirmed/);
    await page.locator('h1', { hasText: 'Submission' }).waitFor();
    await page.getByText('no block shows it yet').waitFor();
    await page.goBack();
    await page.goBack();
    // What it came to is told as it is known today.
    await page.locator('h1', { hasText: 'DA of made-up-b' }).waitFor();
    await follow(page, /Back to now/);
    await page.getByText('Copy the post-mortem').waitFor();
    await follow(page, /Copy the post-mortem/);
    await page.getByText('Copied').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toMatch(/^# [^]*## What happened\n\n[^]*## Impact[^]*## Timeline[^]*intervalReport/);
    expect(errors).toEqual([]);
    await page.close();
  });
});
