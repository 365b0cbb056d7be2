import { readFileSync } from 'node:fs';
import { openPage, type Looking } from '../support/browser.js';
import {
  DESK,
  findFlaws,
  HOSTILE,
  PHONE,
  startDashboardWorld,
  type DashboardWorld,
} from '../support/dashboard-world.js';
import { hasProgram, itHasProgram } from '../support/programs.js';

const KEY = 'a-key-of-16-chars';
const LENGTH_MS = 147_500;

describe('the browser for pages of rows', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('pages of rows', () => {
  let world: DashboardWorld;
  let url: string;
  /** A confirmed submission, a failed one with other attempts, and one of the hostile node. */
  let ids: { confirmed: string; failed: string; hostile: string };
  let block: { height: string; hash: string };

  beforeAll(async () => {
    world = await startDashboardWorld(LENGTH_MS, KEY);
    url = world.api.url;
    type Rows = { nodes: { id: string; blocks: string[]; attemptsAfter: { id: string }[] }[] };
    const found = await world.api.read<Record<'confirmed' | 'failed' | 'hostile', Rows>>(`{
      confirmed: submissions(filter: {nodes: ["aggregator"], evidence: [CONFIRMED], kinds: [HEADER]}, first: 1) { ...Rows }
      failed: submissions(filter: {nodes: ["aggregator"], statuses: [ERROR]}, first: 1) { ...Rows }
      hostile: submissions(filter: {nodes: ["hostile"]}, first: 1) { ...Rows }
    } fragment Rows on SubmissionConnection { nodes { id blocks attemptsAfter { id } } }`);
    const idOf = ({ nodes: [row] }: Rows): string => row?.id ?? '';
    ids = { confirmed: idOf(found.confirmed), failed: idOf(found.failed), hostile: idOf(found.hostile) };
    const height = found.confirmed.nodes[0]?.blocks[0] ?? '';
    const { hash } = (
      await world.api.read<{ block: { hash: string } }>(
        `{ block(node: "aggregator", height: ${height}) { hash } }`,
      )
    ).block;
    block = { height, hash };
  }, 240_000);

  afterAll(() => world?.stop());

  const open = (path: string, looking: Looking) => openPage(world.browser, url + path, looking);
  const pathOf = (id: string): string => `/submission/${encodeURIComponent(id)}`;

  it("shows a submission's outcome, its blocks, its fee with the fee's basis, and its row", async () => {
    const { page } = await open(pathOf(ids.confirmed), DESK);
    const text = await page.locator('main').innerText();
    expect(text).toMatch(/✓ success[^]*✓ confirmed[^]*the blocks agree/);
    expect(text).toMatch(/Fee\s[^]*Basis\s+(?:unknown|computed|read)/);
    expect(await page.getByLabel('The row as sent').innerText()).toMatch(/^\{.*"status_code":"Success".*\}$/);
    expect(await page.locator('.timeline .mark').count()).toBeGreaterThan(20);
    expect(await page.title()).toBe(`Submission ${ids.confirmed} · Hindsight`);
    await page.getByRole('link', { name: block.height, exact: true }).first().click();
    await page.locator('h1', { hasText: `Block ${block.height}` }).waitFor();
    await page.locator('tr', { hasText: 'carried' }).getByRole('link').first().waitFor();
    await page.close();
  });

  it("shows a failure's cause, its remedy, and the attempts before and after it", async () => {
    const { page } = await open(pathOf(ids.failed), DESK);
    expect(await page.locator('main').innerText()).toMatch(
      /✕ error[^]*What to do:[^]*failed and did not land/,
    );
    await page.locator('caption', { hasText: 'Attempts to post this batch' }).waitFor();
    await page.close();
  });

  it('shows each attempt of a batch on a phone without scrolling sideways', async () => {
    const { page } = await open(pathOf(ids.failed), PHONE);
    const attempts = page.getByRole('region', { name: 'Attempts to post this batch' });
    await attempts.waitFor();
    const table = `document.querySelector('[aria-label^="Attempts to post this batch"]')`;
    expect(await page.evaluate(`${table}.scrollWidth - ${table}.clientWidth`)).toBe(0);
    await page.close();
  });

  it('shows all data of a hostile node as text', async () => {
    const { page } = await open(pathOf(ids.hostile), DESK);
    const sent = await page.getByLabel('The row as sent').innerText();
    expect(sent).toContain('<img src=x onerror=alert(1)>?');
    expect(sent.length).toBeGreaterThan(HOSTILE.length);
    await page.close();
  });

  it('offers the row as curl, GraphQL and JSON, which all find it again', async () => {
    const { page } = await open(pathOf(ids.confirmed), DESK);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = async (name: string): Promise<string> => {
      await page.getByRole('button', { name }).click();
      await page.getByText('Copied').first().waitFor();
      return String(await page.evaluate('navigator.clipboard.readText()'));
    };
    const query = await copied('Copy as GraphQL');
    const answer = await world.api.read<{ submission: { id: string } }>(query);
    expect(answer.submission.id).toBe(ids.confirmed);
    expect(JSON.parse(await copied('Copy as JSON'))).toEqual(answer.submission);
    expect(await copied('Copy as curl')).toMatch(/^curl -s 'http.*"variables":/);
    await page.close();
  });

  it('leads from a hash to its block, and says when no block has it', async () => {
    const { page } = await open(`/block/lab-1/${block.hash}`, DESK);
    await page.waitForURL(`${url}/block/lab-1/${block.height}`);
    await page.goto(`${url}/block/lab-1/${'0'.repeat(64)}`);
    await page.getByText('No block of this chain has this hash').waitFor();
    await page.goto(`${url}/block/lab-1/999999`);
    await page.getByText('No node had shown a block of this height').waitFor();
    await page.goto(`${url}/submission/%3Cscript%3E`);
    await page.getByText('No submission of this name').waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await page.close();
  });

  it("are reachable from the feed, a node's blocks and search, and keep the past moment", async () => {
    const asOf = new Date(world.endMs - 10_000).toISOString();
    const { page } = await open(`/node/aggregator?asOf=${asOf}`, DESK);
    await page.getByRole('region', { name: 'Submissions' }).locator('tbody a').first().click();
    await page.locator('h1', { hasText: 'Submission' }).waitFor();
    expect(new URL(page.url()).searchParams.get('asOf')).toBe(asOf);
    await page.goBack();
    await page.getByRole('region', { name: 'Blocks' }).locator('tbody a').first().click();
    await page.locator('h1', { hasText: 'Block' }).waitFor();
    expect(new URL(page.url()).searchParams.get('asOf')).toBe(asOf);
    await page.keyboard.press('/');
    // The submission is seconds old and did not exist at that moment.
    await page.keyboard.type(ids.failed);
    await page.getByText('Nothing found at the past moment.').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('7');
    await page.getByRole('list', { name: 'Found' }).getByRole('link', { name: 'Block 7 of lab-1' }).click();
    await page.locator('h1', { hasText: 'Block 7' }).waitFor();
    expect(new URL(page.url()).searchParams.get('asOf')).toBe(asOf);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.keyboard.press('/');
    await page.keyboard.type(ids.failed);
    await page.getByRole('list', { name: 'Found' }).getByRole('link').first().click();
    await page.locator('h1', { hasText: ids.failed }).waitFor();
    await page.close();
  });

  it("shows a chain's cost: parts, bounds, basis, and another period for comparison", async () => {
    const { page } = await open('/cost?chain=lab-1&period=DAY', DESK);
    const [total] = (
      await world.api.read<{ costReport: { submissions: string }[] }>(
        '{ costReport(filter: {chains: ["lab-1"]}, bucket: DAY) { submissions } }',
      )
    ).costReport;
    const row = page
      .getByRole('region', { name: /compared with/ })
      .locator('tr', { hasText: /^Submissions/ });
    expect(await row.innerText()).toContain(Number(total?.submissions).toLocaleString('en-GB'));
    expect(await page.locator('.chart canvas').count()).toBe(3);
    await page.getByRole('button', { name: 'month' }).click();
    await page.getByText('2026-11 compared with 2026-10').waitFor();
    await page.getByRole('button', { name: 'Compared: earlier' }).click();
    await page.getByText('2026-11 compared with 2026-09').waitFor();
    await page.goBack();
    await page.getByText('2026-11 compared with 2026-10').waitFor();
    const file = await page.getByRole('link', { name: 'Days as csv' }).getAttribute('href');
    expect(await (await fetch(url + (file ?? ''))).text()).toMatch(/^time,.*\n2026-11-21/);
    await page.close();
  });

  it('shows a budget as a line and its used share', async () => {
    const { page } = await open('/cost?chain=lab-1&period=DAY', DESK);
    await page.getByText('budget of dear: 0.1 TIA').waitFor();
    const row = page
      .getByRole('region', { name: /compared with/ })
      .locator('tr', { hasText: /^Budget of dear/ });
    expect(await row.innerText()).toMatch(/0\.1 TIA, used: 57\.4%/);
    await page.getByRole('button', { name: 'month' }).click();
    await page.getByText('2026-11 compared with 2026-10').waitFor();
    expect(await row.count()).toBe(0);
    await page.close();
  });

  it("fetches files with the session's key", async () => {
    const { page, errors } = await openPage(
      world.browser,
      `${world.locked.url}/cost?chain=lab-1&period=DAY`,
      DESK,
    );
    await page.getByLabel('API key').fill(KEY);
    await page.keyboard.press('Enter');
    const link = page.getByRole('link', { name: 'Hours as csv' });
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(file.suggestedFilename()).toBe('costs.csv');
    expect(readFileSync(await file.path(), 'utf8')).toMatch(/^time,.*\n2026-11-21/);
    expect(errors.filter((error) => !error.includes('401'))).toEqual([]);
    await page.close();
  });

  it("returns metrics with the session's key, and links to them only with a key", async () => {
    const { page } = await openPage(world.browser, world.locked.url, DESK);
    await page.getByLabel('API key').waitFor();
    expect(await page.getByRole('link', { name: 'Metrics' }).count()).toBe(0);
    await page.getByLabel('API key').fill(KEY);
    await page.keyboard.press('Enter');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Metrics' }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8')).toMatch(/^# HELP hindsight_/m);
    await page.close();
  });

  it('calculates the recorded blocks in other batches, at another price', async () => {
    const { page, errors } = await open('/cost?chain=lab-1&period=DAY', PHONE);
    await page.getByLabel('Blocks per batch').fill('5, 50');
    await page.getByLabel('at a gas price of').fill('0.004');
    await page.getByRole('button', { name: 'Compute' }).click();
    const rows = page.locator('tr', { hasText: /^every/ });
    await rows.nth(1).waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^every 5 blocks\s.* TIA/),
      expect.stringMatching(/^every 50 blocks\s.* TIA/),
    ]);
    await page.getByLabel('at a gas price of').fill('-1');
    await page.keyboard.press('Enter');
    await page.getByText('must be a decimal number above 0').waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('says that there is no chain to show cost of', async () => {
    const { page } = await openPage(world.browser, `${world.empty.url}/cost`, PHONE);
    await page.getByText('No chain has been seen yet').waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await page.close();
  });

  it('ask for a key, and show the row once one is given', async () => {
    const { page } = await openPage(world.browser, world.locked.url + pathOf(ids.confirmed), PHONE);
    await page.getByLabel('API key').fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByLabel('The row as sent').waitFor();
    await page.close();
  });
});
