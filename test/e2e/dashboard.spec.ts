import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { findBarriers, openPage, startBrowser, type Looking } from '../support/browser.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { appendTo, recordLog } from '../support/record-log.js';
import { waitFor } from '../support/service-process.js';
import { loadRecording } from '../support/recording.js';

const DESK: Looking = { width: 1_400, colours: 'light' };
const PHONE: Looking = { width: 360, colours: 'dark' };
const WALL: Looking = { width: 3_840, colours: 'dark' };
const KEY = 'a-key-of-16-chars';
const LENGTH_MS = 147_500;
const FIRST_LOAD_BYTES = 120_000;
/** Charts on which a line or a point is drawn: their grid is grey. */
const INKED = `[...document.querySelectorAll('.chart canvas')].filter((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && data[at + 2] - data[at + 1] > 60) return true;
  return false;
}).length`;
const HOSTILE = `<img src=x onerror=alert(1)>\u202E${'x'.repeat(200)}`;

describe('what looks at the dashboard', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('the dashboard', () => {
  const recording = loadRecording('aggregator');
  const endMs = recording.startMs + LENGTH_MS;
  const clock = new ManualClock(endMs + 2_000);
  const at = `asOf=${new Date(endMs).toISOString()}`;
  const open: { stop(): Promise<void> }[] = [];
  let api: ApiServer;
  let empty: ApiServer;
  let locked: ApiServer;
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
    const database: TestDatabase = await startTestDatabase();
    const bare: TestDatabase = await startTestDatabase();
    api = await startApi(database.url, { clock });
    locked = await startApi(database.url, { clock, keys: [KEY] });
    empty = await startApi(bare.url, { clock });
    open.push(api, locked, empty, database, bare);
    const log = recordLog({ nodes: ['aggregator', 'follower'], to: LENGTH_MS });
    const body = { url: 'http://hostile' };
    appendTo(log, 'hostile/node', [{ type: 'NodeRegistered', observedAt: endMs, body }]);
    const looks = { first: endMs, last: endMs, count: 1, longestGapMs: 0 };
    const lost = { looks, state: 'UNREACHABLE' as const, detail: HOSTILE };
    appendTo(log, 'hostile/submissions', [
      { type: 'SubmissionSourceChanged', observedAt: endMs, body: lost },
    ]);
    await appendLog(api.dataSource, log);
    const rollUp = new RollUp(api.dataSource);
    while ((await rollUp.run(() => true)) > 0);
  }, 240_000);

  afterAll(async () => {
    await browser?.close();
    for (const each of open) await each.stop();
  });

  it.each([
    ['on a desk', '/', DESK],
    ['on a phone', '/', PHONE],
    ['on a wall', '/', WALL],
    ['in dense rows', '/?dense=true', PHONE],
    ['of a past moment', `/?${at}`, DESK],
  ] as const)('shows every node without an error, a barrier or a stranger: %s', async (_, path, looking) => {
    const { page, errors } = await openPage(browser, api.url + path, looking);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.reload();
    await page.locator('article').nth(2).waitFor();
    expect(await page.locator('article h3 a').allInnerTexts()).toEqual(
      expect.arrayContaining(['aggregator', 'follower', 'hostile']),
    );
    expect(asked.filter((url) => !url.startsWith(api.url) && !url.startsWith('data:'))).toEqual([]);
    expect(await page.locator('h1').innerText()).toBe('1 critical, 2 unknown of 3 nodes');
    const text = await page.locator('body').innerText();
    expect(text).not.toMatch(/undefined|NaN|null|\[object/);
    expect(text).toMatch(/ UTC/);
    const overhang = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overhang).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    expect(errors).toEqual([]);
    const card = await page.locator('article', { hasText: 'aggregator' }).innerText();
    expect(card).toMatch(/Success rate today \(UTC\)\s+[\d.]+%/);
    const folder = process.env['HINDSIGHT_SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/fleet ${_}.png`, fullPage: true });
    await page.close();
  });

  it.each([
    ['an aggregator', '/node/aggregator', DESK, 5],
    ['an aggregator on a phone', '/node/aggregator?days=1', PHONE, 5],
    ['a chain', '/chain/lab-1?days=365', DESK, 5],
    ['a follower', '/node/follower', PHONE, 0],
  ] as const)('draws what there is of %s', async (name, path, looking, charts) => {
    const { page, errors } = await openPage(browser, api.url + path, looking);
    await page.getByText('Blocks, the newest first').waitFor();
    expect(await page.locator('.chart canvas').count()).toBeGreaterThanOrEqual(charts);
    if (charts === 0) {
      expect(await page.locator('.chart').count()).toBe(0);
      expect(await page.locator('main').innerText()).toMatch(/A follower submits nothing/);
    } else {
      expect(await page.evaluate(INKED)).toBe(charts);
      expect(await page.getByRole('region', { name: 'Submissions' }).locator('tbody tr').count()).toBe(50);
    }
    const text = await page.locator('body').innerText();
    expect(text).not.toMatch(/undefined|NaN|null|\[object/);
    const overhang = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overhang).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    expect(errors).toEqual([]);
    const folder = process.env['HINDSIGHT_SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
    await page.close();
  });

  it.each([
    ['on a desk', DESK],
    ['on a phone', PHONE],
  ] as const)('leads from the fleet to an incident, and on to its node: %s', async (name, looking) => {
    const { page, errors } = await openPage(browser, api.url, looking);
    const row = page.locator('tr', { hasText: 'DA of aggregator' }).first();
    await row.getByRole('link').click();
    await page.locator('h1', { hasText: 'DA of aggregator, lab-1' }).waitFor();
    await page.locator('caption', { hasText: 'What happened' }).waitFor();
    const text = await page.locator('body').innerText();
    expect(text).toMatch(/What to do:[^]*First sign[^]* UTC[^]*Failed attempts[^]*Losses/);
    expect(text).not.toMatch(/undefined|NaN|null|\[object/);
    expect(await findBarriers(page)).toEqual([]);
    const overhang = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overhang).toBe(0);
    const folder = process.env['HINDSIGHT_SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/incident ${name}.png`, fullPage: true });
    await page.getByRole('link', { name: 'page of the node' }).click();
    await page.locator('h1', { hasText: 'Node' }).waitFor();
    expect(new URL(page.url()).searchParams.get('from')).not.toBeNull();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('says that there is no such incident', async () => {
    const { page } = await openPage(browser, `${api.url}/incident/Incident%3Ax%3ADA%3A1`, DESK);
    expect(await page.locator('main').innerText()).toMatch(/No incident of this name/);
    await page.close();
  });

  it('keeps filters and the page of the feed in the address', async () => {
    const { page } = await openPage(browser, `${api.url}/node/aggregator?status=SUCCESS`, DESK);
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    expect(new URL(page.url()).searchParams.get('after')).not.toBeNull();
    await page.getByLabel('status').selectOption('ERROR');
    await page.waitForURL(/status=ERROR/);
    await page
      .getByRole('region', { name: 'Submissions' })
      .locator('.state', { hasText: 'error' })
      .first()
      .waitFor();
    await expect(
      page.getByRole('region', { name: 'Submissions' }).locator('.state', { hasText: 'success' }).count(),
    ).resolves.toBe(0);
    expect(new URL(page.url()).searchParams.get('after')).toBeNull();
    await page.close();
  });

  it('says that there is no such node, whatever it is called', async () => {
    const { page, errors } = await openPage(browser, `${api.url}/node/%3Cscript%3Ex`, DESK);
    expect(await page.locator('main').innerText()).toMatch(/<script>x[^]*No node of this name/);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('shows what a hostile node says as text', async () => {
    const { page } = await openPage(browser, api.url, DESK);
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.locator('#attention + ul').innerText()).toContain('hostile');
    await page.close();
  });

  it('says that nothing is watched yet', async () => {
    const { page, errors } = await openPage(browser, empty.url, DESK);
    expect(await page.locator('main').innerText()).toMatch(/Nothing is watched yet[^]*No node has been seen/);
    expect(await findBarriers(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('asks for a key where one is needed, and keeps it for the session', async () => {
    const { page } = await openPage(browser, locked.url, DESK);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByLabel('API key').fill(KEY);
    await page.getByLabel('API key').press('Enter');
    await page.locator('article').first().waitFor();
    await page.reload();
    await page.locator('article').first().waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await page.close();
  });

  it('says when the server is away, and keeps what it has shown', async () => {
    const { page } = await openPage(browser, api.url, DESK);
    await page.locator('article').first().waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText(/The server does not answer\. What is shown is of .* UTC/).waitFor();
    expect(await page.locator('article').count()).toBe(3);
    await page.close();
  });

  it('is filtered, and searched by the key /, by keyboard alone', async () => {
    const { page } = await openPage(browser, api.url, DESK);
    await page.getByLabel('Filter').fill('follow');
    await page.getByText('1 of 3 nodes').waitFor();
    expect(new URL(page.url()).searchParams.get('filter')).toBe('follow');
    await page.locator('h1').click();
    await page.keyboard.press('Escape');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('/');
    await page.keyboard.type('aggreg');
    await page.getByRole('list', { name: 'Found' }).getByRole('link').first().waitFor();
    await page.close();
  });

  it('asks about the present of the server once it has slept', async () => {
    const { page } = await openPage(browser, `${api.url}/node/aggregator`, DESK);
    const ends: unknown[] = [];
    page.on('request', (request) => {
      const { variables } = (request.postDataJSON() ?? {}) as { variables?: { to?: string } };
      ends.push(variables?.to);
    });
    await clock.advance(3_600_000);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    const present = new Date(clock.now()).toISOString();
    await waitFor('a question of now', async () => (ends.includes(present) ? true : undefined), 10_000);
    await page.close();
  });

  it('is small at first load', async () => {
    const html = await (await fetch(api.url)).text();
    const files = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
    const sizes = files.map((file) => gzipSync(readFileSync(`dist/pages/${file}`)).length);
    expect(files.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_BYTES);
  });
});
