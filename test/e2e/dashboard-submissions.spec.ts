import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { openPage, type Looking } from '../support/browser.js';
import {
  DESK,
  findFlaws,
  keepPicture,
  PHONE,
  startDashboardWorld,
  WALL,
  type DashboardWorld,
} from '../support/dashboard-world.js';
import { hasProgram, itHasProgram } from '../support/programs.js';

const LENGTH_MS = 147_500;

describe('the browser for the list of submissions', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('the list of submissions', () => {
  let world: DashboardWorld;
  let url: string;

  beforeAll(async () => {
    world = await startDashboardWorld(LENGTH_MS, 'a-key-of-16-chars');
    url = world.api.url;
  }, 240_000);

  afterAll(() => world?.stop());

  const open = (path: string, looking: Looking) => openPage(world.browser, url + path, looking);
  const pathOf = (id: string): string => `/submission/${encodeURIComponent(id)}`;
  const rowsOf = (page: Page) => page.getByRole('region', { name: 'Submissions' }).locator('tbody tr');

  it('shows the newest submissions of all nodes, each with its fee', async () => {
    const { page, errors } = await open('/submissions', DESK);
    expect(await rowsOf(page).count()).toBe(50);
    expect(await page.title()).toMatch(/Submissions · Hindsight$/);
    const { submissions } = await world.api.read<{ submissions: { nodes: { id: string }[] } }>(
      '{ submissions(order: OCCURRED_DESC, first: 50) { nodes { id } } }',
    );
    const links = rowsOf(page).locator('td[data-name=Time] a');
    const shown = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(shown).toEqual(submissions.nodes.map(({ id }) => pathOf(id)));
    expect(await rowsOf(page).first().innerText()).toMatch(/ago|2026/);
    expect(await page.locator('td[data-name=Fee]', { hasText: 'TIA' }).count()).toBeGreaterThan(10);
    for (const [index, { width, colours }] of [DESK, PHONE, WALL].entries()) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: colours });
      expect(await findFlaws(page, index > 0 ? 'LOOKS' : 'ALL')).toEqual([]);
      await keepPicture(page, `submissions ${width} ${colours}`);
    }
    expect(errors).toEqual([]);
    await page.close();
  });

  it('is filtered by chain, node, kind, evidence and text, and cleared, by keyboard', async () => {
    const { page } = await open('/submissions', DESK);
    const choose = async (name: string, letters: string, expected: RegExp): Promise<void> => {
      await page.getByLabel(name, { exact: true }).focus();
      await page.keyboard.type(letters);
      await page.waitForURL(expected);
    };
    await choose('Chain', 'lab', /chain=lab-1/);
    await choose('Node', 'agg', /node=aggregator/);
    await choose('Kind', 'header', /kind=HEADER/);
    await choose('Evidence', 'confirmed', /evidence=CONFIRMED/);
    await rowsOf(page).first().waitFor();
    const kinds = new Set(await rowsOf(page).locator('td[data-name=Kind]').allInnerTexts());
    expect(kinds).toEqual(new Set(['header']));
    await page.getByLabel('Message').fill('no such text');
    await page.keyboard.press('Enter');
    await page.getByText('No submission matches.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().press('Enter');
    await rowsOf(page).nth(49).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.goBack();
    await page.getByText('No submission matches.').waitFor();
    await page.close();
  });

  it('is filtered by the cause of failures', async () => {
    const { page } = await open('/submissions?node=aggregator&status=ERROR', DESK);
    type Causes = { submissions: { nodes: { cause: { code: string; title: string } }[] } };
    const { submissions } = await world.api.read<Causes>(
      '{ submissions(filter: {nodes: ["aggregator"], statuses: [ERROR]}, first: 1000) { nodes { cause { code title } } } }',
    );
    const causes = submissions.nodes.map(({ cause }) => cause);
    const countOf = (code: string): number => causes.filter((cause) => cause.code === code).length;
    const [{ code, title } = { code: '', title: '' }] = causes.toSorted(
      (a, b) => countOf(a.code) - countOf(b.code),
    );
    expect(countOf(code)).toBeLessThan(Math.min(50, causes.length));
    await page.getByLabel('Cause').selectOption(code);
    await page.waitForURL(/cause=/);
    const expected = countOf(code);
    await rowsOf(page)
      .nth(expected - 1)
      .waitFor();
    expect(await rowsOf(page).filter({ hasText: title }).count()).toBe(expected);
    expect(await rowsOf(page).count()).toBe(expected);
    await page.close();
  });

  it('shows the range of the time control, and pages through it', async () => {
    const { page } = await open('/submissions?node=aggregator&last=5y', DESK);
    const pages = page.getByRole('group', { name: 'Pages of submissions' });
    const first = rowsOf(page).locator('td[data-name=Time] a').first();
    const newest = await first.getAttribute('href');
    await pages.getByRole('button', { name: 'Older' }).click();
    await pages.getByRole('button', { name: 'Newest' }).waitFor();
    // A cursor is valid for one range, so the range no longer moves with the present.
    expect(new URL(page.url()).searchParams.get('from')).not.toBeNull();
    expect(await first.getAttribute('href')).not.toBe(newest);
    await page.reload();
    await pages.getByRole('button', { name: 'Newest' }).click();
    await page.waitForURL((url) => !url.searchParams.has('after'));
    await page.goto(`${url}/submissions?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z`);
    await page.getByText('No submission in this time.').waitFor();
    await page.getByRole('button', { name: 'Show all times' }).click();
    await rowsOf(page).nth(49).waitFor();
    await page.close();
  });

  it('offers the same rows as CSV and GraphQL', async () => {
    const { page } = await open('/submissions?node=aggregator&status=ERROR&kind=HEADER', DESK);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines[0]).toMatch(/^id,chain,node,.*fee_min_utia/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as GraphQL' }).click();
    await page.getByText('Copied').first().waitFor();
    const query = String(await page.evaluate('navigator.clipboard.readText()'));
    const { submissions } = await world.api.read<{ submissions: { nodes: { id: string }[] } }>(query);
    const inFile = new Set(lines.slice(1).map((line) => line.split(',')[0]));
    expect(new Set(submissions.nodes.map(({ id }) => id))).toEqual(inFile);
    expect(lines).toHaveLength(1 + inFile.size);
    expect(await rowsOf(page).count()).toBe(submissions.nodes.length);
    await page.close();
  });

  it('shows hostile texts as text, and fits a phone', async () => {
    const { page, errors } = await open('/submissions?node=hostile&message=onerror', PHONE);
    await rowsOf(page).getByText('<img src=x').first().waitFor();
    expect(await findFlaws(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('names an unknown node, and says when nothing is recorded', async () => {
    const { page } = await open('/submissions?node=nobody', PHONE);
    await page.getByText('There is no node "nobody"').waitFor();
    await page.goto(`${world.empty.url}/submissions`);
    await page.getByText('No submission is recorded yet.').waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await page.close();
  });

  it('is linked from the page of a node with its filter', async () => {
    const { page } = await open('/node/aggregator', DESK);
    const table = page.getByRole('region', { name: 'Submissions' });
    expect(await table.locator('tbody tr').count()).toBe(20);
    await table.getByRole('link', { name: 'All submissions of aggregator' }).click();
    await page.waitForURL(/\/submissions\?node=aggregator/);
    await rowsOf(page).nth(49).waitFor();
    await page.close();
  });
});
