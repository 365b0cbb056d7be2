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
    expect(await page.locator('h1').innerText()).toMatch(/Submission.*\s+success/);
    expect(text).toMatch(/Succeeded, and the blocks agree\.[^]*header · confirmed/);
    expect(text).toMatch(/Fee\s[^]*Basis\s+(?:unknown|computed|read)/);
    expect(await page.getByLabel('The row as sent').innerText()).toMatch(/^\{.*"status_code":"Success".*\}$/);
    expect(await page.locator('.timeline .mark').count()).toBeGreaterThan(20);
    expect(await page.title()).toContain(`Submission ${ids.confirmed} · Hindsight`);
    await page.getByRole('link', { name: block.height, exact: true }).first().click();
    await page.locator('h1', { hasText: `Block ${block.height}` }).waitFor();
    await page.locator('h1 .HEALTHY', { hasText: 'included' }).waitFor();
    await page.locator('tr', { hasText: 'carried' }).getByRole('link').first().waitFor();
    await page.close();
  });

  it("shows a failure's cause, its remedy, and the attempts before and after it", async () => {
    const { page } = await open(pathOf(ids.failed), DESK);
    expect(await page.locator('main').innerText()).toMatch(/error[^]*What to do:[^]*failed, not posted/);
    const attempts = page.getByRole('region', { name: 'Attempts to post this batch' });
    await attempts.getByText('(this attempt)').waitFor();
    const { submission } = await world.api.read<{
      submission: Record<'attemptsBefore' | 'attemptsAfter', unknown[]>;
    }>(`{ submission(id: "${ids.failed}") { attemptsBefore { id } attemptsAfter { id } } }`);
    const counts = await attempts.locator('tbody td[data-name=Attempts]').allInnerTexts();
    // Attempts that ended alike share a row; together they are all attempts.
    expect(counts.reduce((sum, text) => sum + Number(text), 0)).toBe(
      submission.attemptsBefore.length + 1 + submission.attemptsAfter.length,
    );
    await page.close();
  });

  it('shows each attempt of a batch on a phone without scrolling sideways', async () => {
    const { page } = await open(pathOf(ids.failed), PHONE);
    const attempts = page.getByRole('region', { name: 'Attempts to post this batch' });
    await attempts.waitFor();
    const table = `document.querySelector('[aria-label^="Attempts to post this batch"] .scrolls')`;
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
    await page.getByText('No submission with this id').waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await page.close();
  });

  it("are reachable from the feed, a node's blocks and search, and keep the past moment", async () => {
    const asOf = new Date(world.endMs - 10_000).toISOString();
    const { page } = await open(`/node/aggregator?asOf=${asOf}`, DESK);
    await page.getByRole('region', { name: 'Submissions' }).locator('tbody a').first().click();
    await page.locator('h1', { hasText: 'Submission' }).waitFor();
    await page.waitForURL(/\/submission\//);
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
    const { page, errors } = await open('/cost?chain=lab-1&period=DAY', DESK);
    const [total] = (
      await world.api.read<{ costReport: { submissions: string; feeMin: string }[] }>(
        '{ costReport(filter: {chains: ["lab-1"]}, bucket: DAY) { submissions feeMin } }',
      )
    ).costReport;
    const submissions = Number(total?.submissions).toLocaleString('en-GB');
    const figure = await page.getByRole('region', { name: /^Fees of/ }).innerText();
    expect(figure).toMatch(/^21 Nov 2026 so far\n+0\.\d{1,6} to 0\.\d{1,6} TIA\n/);
    expect(figure).toContain(`${submissions} submissions`);
    expect(figure).toMatch(/to the same point\s+unknown\s+not recorded/);
    expect(figure).toMatch(/Forecast for 21 Nov 2026\s+none\s+only/);
    const bill = page.getByRole('region', { name: /compared with/ });
    expect(await bill.getByRole('row', { name: /^Submissions/ }).innerText()).toContain(submissions);
    expect(await bill.innerText()).toMatch(/Basis of the fees: [^]*Nothing is recorded of 20 Nov 2026/);
    expect(await page.getByRole('region', { name: 'By kind' }).innerText()).toMatch(/header[^]*%/);
    // Hours before the record are not listed, and no fee is a raw float.
    expect(await page.getByRole('region', { name: 'By hour' }).innerText()).toContain(
      'Nothing is recorded before',
    );
    expect(await page.locator('main').innerText()).not.toMatch(/\d\.\d{9}/);
    await page.getByRole('button', { name: 'month' }).click();
    await page.getByText('November 2026 compared with October 2026').waitFor();
    await page.getByRole('button', { name: 'Compared: earlier' }).click();
    await page.getByText('November 2026 compared with September 2026').waitFor();
    await page.goBack();
    await page.getByText('November 2026 compared with October 2026').waitFor();
    const file = await page.getByRole('link', { name: 'Days (CSV)' }).getAttribute('href');
    expect(await (await fetch(url + (file ?? ''))).text()).toMatch(/^time,.*\n2026-11-21/);
    expect(await findFlaws(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('shows the cost as it was known at a moment', async () => {
    const knownAt = new Date().toISOString();
    const { page, errors } = await open(`/cost?chain=lab-1&period=DAY&knownAt=${knownAt}`, DESK);
    const figure = page.getByRole('region', { name: /^Fees of/ });
    expect(await figure.innerText()).toMatch(/\d submissions/);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('shows the fees of nodes, also as they were known at a moment', async () => {
    const feesAt = async (path: string): Promise<string | undefined> => {
      const { page, errors } = await open(path, DESK);
      const row = page
        .getByRole('row')
        .filter({ has: page.getByRole('link', { name: 'aggregator', exact: true }) });
      await row.getByText(/ (?:TIA|EUR)$/).waitFor();
      const cost = await row.getByRole('cell').last().innerText();
      expect(errors).toEqual([]);
      await page.close();
      return cost;
    };
    const present = await feesAt('/');
    expect(present).toMatch(/^\d/);
    expect(await feesAt(`/?knownAt=${new Date().toISOString()}`)).toBe(present);
  });

  it('opens on the chain that has known fees, and offers the command that sets a missing price', async () => {
    const { page } = await open('/cost', PHONE);
    await page.getByRole('heading', { level: 1, name: 'Cost of lab-1' }).waitFor();
    await page.locator('main').getByLabel('Chain').selectOption('down-1');
    await page.getByRole('heading', { level: 1, name: 'Cost of down-1' }).waitFor();
    const figure = page.getByRole('region', { name: /^Fees of/ });
    await figure.getByText(/The fees of 100% of the submissions are unknown/).waitFor();
    expect(await figure.innerText()).toMatch(/so far\n+unknown\n/);
    expect(await figure.locator('code').first().innerText()).toBe(
      'hindsight prices set --chain down-1 --from beginning --gas-price 0.004',
    );
    const byDay = await page.getByRole('region', { name: 'By day' }).innerText();
    expect(byDay).toMatch(/21 Nov 2026\s+2\s+unknown/);
    expect(await findFlaws(page)).toEqual([]);
    await page.goto(`${url}/cost?chain=nowhere`);
    await page.getByText('No chain is named nowhere.').waitFor();
    await page.close();
  });

  it('shows a budget as a line and its used share', async () => {
    const { page } = await open('/cost?chain=lab-1&period=DAY', DESK);
    await page.getByText('budget dear: 0.1 TIA').waitFor();
    const figure = page.getByRole('region', { name: /^Fees of/ });
    expect(await figure.innerText()).toMatch(/Budget dear\s+57\.4%\s+of 0\.1 TIA/);
    expect(await figure.getByRole('progressbar', { name: 'Budget dear' }).getAttribute('value')).toMatch(
      /^0\.57/,
    );
    expect(await page.locator('.chart canvas').count()).toBe(1);
    await page.getByRole('button', { name: 'month' }).click();
    await page.getByText('November 2026 compared with October 2026').waitFor();
    expect(await page.getByText('Budget dear').count()).toBe(0);
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
    const link = page.getByRole('link', { name: 'Hours (CSV)' });
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
    await page.getByLabel('Gas price').fill('0.004');
    await page.getByRole('button', { name: 'Calculate' }).click();
    const rows = page.locator('tr', { hasText: /^every/ });
    await rows.nth(1).waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^every 5 blocks\s[^]* TIA/),
      expect.stringMatching(/^every 50 blocks\s[^]* TIA/),
    ]);
    await page.getByLabel('Gas price').fill('-1');
    await page.keyboard.press('Enter');
    await page.getByText('must be a decimal number above 0').waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('says that there is no chain to show cost of', async () => {
    const { page } = await openPage(world.browser, `${world.empty.url}/cost`, PHONE);
    await page.getByText('No chain has been seen yet').waitFor();
    await page.getByText('once a monitored node submits').waitFor();
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
