import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { drawInNoTime, findBarriers, openPage } from '../support/browser.js';
import {
  DESK,
  findFlaws,
  keepPicture,
  leaveAnswersOut,
  PHONE,
  startDashboardWorld,
  WALL,
  type DashboardWorld,
} from '../support/dashboard-world.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { waitFor } from '../support/service-process.js';
import { loadRecording } from '../support/recording.js';

const KEY = 'a-key-of-16-chars';
const LENGTH_MS = 147_500;
/** Scripts, styles and the font. */
const FIRST_LOAD_BYTES = 130_000;
/** Charts with a line or a point: their grid is grey. */
const INKED = `[...document.querySelectorAll('.chart canvas')].filter((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && data[at + 2] - data[at + 1] > 60) return true;
  return false;
}).length`;

describe('the browser for the dashboard', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('the dashboard', () => {
  const at = `asOf=${new Date(loadRecording('aggregator').startMs + LENGTH_MS).toISOString()}`;
  let world: DashboardWorld;
  let { api, locked, browser, clock } = {} as DashboardWorld;

  beforeAll(async () => {
    world = await startDashboardWorld(LENGTH_MS, KEY);
    ({ api, locked, browser, clock } = world);
  }, 240_000);

  afterAll(() => world?.stop());

  it.each([
    ['on a wall', '/', WALL, '2 of 4 nodes critical, 2 unknown'],
    ['on a phone', '/', PHONE, '2 of 4 nodes critical, 2 unknown'],
    ['of a past moment', `/?${at}`, DESK, /\d of \d nodes critical, \d unknown/],
  ] as const)('shows every node: %s', async (_, path, looking, verdict) => {
    const { page, errors } = await openPage(browser, api.url + path, looking);
    const nodes = page.locator('td a[href^="/node/"]:has(bdi)');
    await nodes.nth(2).waitFor();
    expect(await nodes.allInnerTexts()).toEqual(
      expect.arrayContaining(['aggregator', 'follower', 'hostile']),
    );
    expect(await page.locator('h1').innerText()).toMatch(verdict);
    expect(await page.locator('time').first().getAttribute('title')).toMatch(/ UTC$/);
    // `dashboard-states.spec.ts` checks what the present fleet says.
    expect(await findFlaws(page, looking === DESK ? 'ALL' : 'LOOKS')).toEqual([]);
    expect(errors).toEqual([]);
    expect(await page.locator('tr', { hasText: 'hostile' }).first().innerText()).toContain('unknown');
    const shown = await page.locator('tr', { hasText: 'aggregator' }).allInnerTexts();
    expect(shown.join()).toMatch(/[\d.]+%/);
    const footer = page.locator('footer');
    await footer.getByText(/Behind the log: .*Disk: log [\d.]+ \wB, computed [\d.]+ \wB/s).waitFor();
    await keepPicture(page, `fleet ${_}`);
    await page.close();
  });

  it.each([
    // `dashboard-states.spec.ts` checks the layout of pages of nodes, chains and incidents.
    ['an aggregator', '/node/aggregator', DESK, 6],
    ['an aggregator on a phone', '/node/aggregator?last=1d', PHONE, 6],
    ['a chain', '/chain/lab-1?last=1h', DESK, 6],
    ['a follower', '/node/follower', PHONE, 0],
  ] as const)('draws all charts of %s', async (name, path, looking, charts) => {
    const { page, errors } = await openPage(browser, api.url + path, looking);
    await page.getByRole('region', { name: 'Blocks' }).waitFor();
    expect(await page.locator('.chart canvas').count()).toBeGreaterThanOrEqual(charts);
    if (charts === 0) {
      expect(await page.locator('.chart').count()).toBe(0);
      expect(await page.locator('main').innerText()).toMatch(/A follower submits nothing/);
      expect(await findFlaws(page)).toEqual([]);
    } else {
      expect(await page.evaluate(INKED)).toBe(charts);
      expect(await page.getByRole('region', { name: 'Submissions' }).locator('tbody tr').count()).toBe(20);
    }
    expect(errors).toEqual([]);
    await keepPicture(page, name);
    await page.close();
  });

  it.each([
    ['on a desk', DESK],
    ['on a phone', PHONE],
  ] as const)('leads from the fleet to an incident, and on to its node: %s', async (name, looking) => {
    const { page, errors } = await openPage(browser, api.url, looking);
    await page
      .getByRole('link', { name: /^\w[\w ]*: aggregator \(lab-1\)$/ })
      .first()
      .click();
    await page.locator('h1', { hasText: ': aggregator (lab-1)' }).waitFor();
    const happened = page.getByRole('region', { name: 'What happened' });
    await happened.getByRole('listitem').first().waitFor();
    await page.getByText('Failed attempts', { exact: true }).waitFor();
    const text = await page.locator('body').innerText();
    expect(text).toMatch(
      /What to do[^]*Failed attempts[^]*What happened[^]*First sign[^]* UTC[^]*Gaps in the record/,
    );
    await keepPicture(page, `incident ${name}`);
    await page.getByRole('link', { name: 'page of the node' }).click();
    await page.waitForURL('**/node/aggregator?*');
    expect(new URL(page.url()).searchParams.get('from')).not.toBeNull();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('keeps filters and the page of submissions in the address', async () => {
    const { page } = await openPage(browser, `${api.url}/submissions?node=aggregator&status=SUCCESS`, DESK);
    const pages = page.getByRole('group', { name: 'Pages of submissions' });
    await pages.getByRole('button', { name: 'Older' }).click();
    await pages.getByRole('button', { name: 'Newest' }).waitFor();
    expect(new URL(page.url()).searchParams.get('after')).not.toBeNull();
    await page.getByLabel('Status').selectOption('ERROR');
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
    expect(await page.locator('main').innerText()).toMatch(/<script>x[^]*No node with this id/);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('asks for a key when one is needed, and keeps it for the session', async () => {
    const { page } = await openPage(browser, locked.url, DESK);
    expect(await page.locator('h1').innerText()).toBe('Sign in');
    await page.getByLabel('API key').fill(KEY);
    await page.getByLabel('API key').press('Enter');
    await page.getByRole('link', { name: 'aggregator' }).first().waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'aggregator' }).first().waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await page.close();
  });

  it('says when the server is unreachable, and keeps its content', async () => {
    const { page } = await openPage(browser, api.url, DESK);
    await page.getByRole('link', { name: 'aggregator' }).first().waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText(/The server does not answer\. Shown: the state of .* UTC/).waitFor();
    expect(await page.locator('td a[href^="/node/"]:has(bdi)').count()).toBeGreaterThanOrEqual(4);
    await page.getByRole('button', { name: 'Connection lost' }).waitFor();
    await page.locator('footer', { hasText: 'Lag and disk: unknown' }).waitFor();
    await page.close();
  });

  it('says once that the server is unreachable, however many parts of a page wait for it, and nothing once it is back', async () => {
    const { page } = await openPage(browser, `${api.url}/node/aggregator`, DESK);
    await page.getByRole('region', { name: 'Blocks' }).waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText('Lag and disk: unknown').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([
      expect.stringMatching(/^The server does not answer\. Shown: the state of .* UTC\.\s+Try again$/),
    ]);
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.close();
  });

  it('does not count nodes that were not yet monitored at a past moment, and links to them', async () => {
    const before = new Date(loadRecording('aggregator').startMs - 30 * 86_400_000).toISOString();
    const { page, errors } = await openPage(browser, `${api.url}/?asOf=${before}`, DESK);
    expect(await page.locator('h1').innerText()).toBe('No nodes monitored yet');
    expect(await page.locator('main').innerText()).not.toMatch(/unknown of|Name one in the settings/);
    await page.getByText('Not monitored yet at this moment: 5').click();
    expect(await findFlaws(page)).toEqual([]);
    await page.getByRole('link', { name: 'aggregator' }).click();
    await page.locator('.state', { hasText: 'not monitored yet' }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('shows health bars and gaps as of the past moment', async () => {
    const startMs = loadRecording('aggregator').startMs;
    const [before, during] = [-1_000, 60_000].map((ms) => new Date(startMs + ms).toISOString());
    const { page } = await openPage(browser, 'about:blank', { ...DESK, until: 'html' });
    const asked: Record<string, unknown>[] = [];
    page.on('request', (request) => {
      const { query, variables } = (request.postDataJSON() ?? {}) as {
        query?: string;
        variables: Record<string, unknown>;
      };
      if (/query (?:Bars|NotCovered)/.test(query ?? '')) asked.push(variables);
    });
    const bars = page.locator('.bar-row', { hasText: 'DA, 24 h' });
    await page.goto(
      `${api.url}/node/aggregator?asOf=${during}&to=${new Date(startMs + 120_000).toISOString()}`,
    );
    await bars.locator('.HEALTHY, .WARNING, .CRITICAL').first().waitFor();
    await page.getByText('Times in which attempts may have been missed').waitFor();
    // A node's bars are requested as of that moment too.
    expect(new Set(asked.map(({ to }) => to))).toEqual(new Set([during]));
    await page.goto(`${api.url}/node/aggregator?knownAt=${before}`);
    await page.getByText('No node with this id is known at this moment').waitFor();
    expect(await page.locator('.bar-line').locator('.HEALTHY, .WARNING, .CRITICAL').count()).toBe(0);
    await page.close();
  });

  it.each([
    ['by keyboard', DESK],
    ['by touch', PHONE],
  ] as const)('zooms without a mouse, and to any time: %s', async (how, looking) => {
    const { page } = await openPage(browser, `${api.url}/chain/lab-1?last=1d`, looking);
    const press = async (name: string): Promise<void> => {
      const before = page.url();
      const button = page.getByRole('button', { name });
      if (how === 'by touch') await button.click();
      else {
        await button.focus();
        await page.keyboard.press('Enter');
      }
      await page.waitForURL((url) => url.href !== before);
    };
    const range = (): number[] => {
      const { searchParams } = new URL(page.url());
      return ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''));
    };
    const hours = (): number => ((range()[1] ?? 0) - (range()[0] ?? 0)) / 3_600_000;
    await press('Zoom in');
    expect(hours()).toBeCloseTo(12, 1);
    const [from = 0] = range();
    await press('Earlier');
    expect(range()[0]).toBeLessThan(from);
    await press('Zoom out');
    expect(hours()).toBeCloseTo(24, 0);
    await page.getByRole('button', { name: /^Time: / }).click();
    const [start, end] = ['From', 'To'].map((name) => page.getByLabel(name, { exact: true }));
    await start?.fill('2026-11-20 01:02:03');
    await start?.press('Enter');
    await end?.fill('2026-11-20T04:05:06Z');
    await end?.press('Enter');
    await page.getByRole('heading', { name: 'From 20 Nov, 01:02 to 20 Nov, 04:05' }).waitFor();
    await start?.fill('2026-11-21T01:02:03');
    // A page that is drawn anew meanwhile keeps what is typed.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.waitForLoadState('networkidle');
    await start?.press('Enter');
    await page.getByText('From is after To').waitFor();
    await start?.fill('yesterday');
    await start?.press('Enter');
    await page.getByText('Not a time.').waitFor();
    await start?.fill('1969-12-31');
    await start?.press('Enter');
    await page.getByText('before 1970').waitFor();
    await page.getByLabel('As of').fill('2100-01-01');
    await page.getByLabel('As of').press('Enter');
    await page.getByText('in the future').waitFor();
    expect(page.url()).not.toContain('asOf');
    expect(await findFlaws(page, how === 'by touch' ? 'LOOKS' : 'ALL')).toEqual([]);
    await page.close();
  });

  it("reads times in the page's zone, also when its clocks show one twice", async () => {
    const { page, errors } = await openPage(
      browser,
      `${api.url}/chain/lab-1?zone=Europe/Berlin&from=2026-10-24T22:00:00Z&to=2026-10-26T22:00:00Z`,
      DESK,
    );
    const until = (name: string, time: string) =>
      page.waitForURL((url) => url.searchParams.get(name) === time);
    await page.getByRole('button', { name: /^Time: / }).click();
    const from = page.getByLabel('From', { exact: true });
    expect(await from.inputValue()).toBe('2026-10-25 00:00:00');
    await from.fill('2026-10-25 02:30:00');
    await from.blur();
    await until('from', '2026-10-25T00:30:00.000Z');
    await page
      .getByRole('button', { name: 'The clocks show this time twice: use 25 Oct 2026, 02:30:00 CET' })
      .click();
    await until('from', '2026-10-25T01:30:00.000Z');
    await page.getByRole('heading', { name: 'From 25 Oct, 02:30 to 26 Oct, 23:00' }).waitFor();
    const asOf = page.getByLabel('As of', { exact: true });
    await asOf.fill('2026-07-01 12:00');
    await asOf.blur();
    await until('asOf', '2026-07-01T10:00:00.000Z');
    expect(await findFlaws(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('marks incomplete parts of charts: the present, and times still being counted', async () => {
    const { page } = await openPage(browser, `${api.url}/chain/lab-1?last=1d`, DESK);
    await page.getByText('Hatched: counted in part').waitFor();
    expect(await page.getByRole('img', { name: /^Submissions\./ }).getAttribute('aria-label')).toMatch(
      /\(in part\)/,
    );
    const hourMs = 3_600_000;
    // Shorter ranges are computed from rows, which need no counting.
    const [from, to] = [-10, -2].map((hours) =>
      new Date((Math.floor(world.endMs / hourMs) + hours) * hourMs).toISOString(),
    );
    await page.goto(`${api.url}/chain/lab-1?from=${from}&to=${to}`);
    await page.locator('html[data-ready="true"]').waitFor({ state: 'attached' });
    expect(await page.getByText('Hatched').count()).toBe(0);
    await api.dataSource.query(
      `INSERT INTO roll_up_mark (node_key, chain, quarter_at) VALUES (0, 'lab-1', $1)`,
      [from],
    );
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText('Hatched: counted in part').waitFor();
    await api.dataSource.query('DELETE FROM roll_up_mark');
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText('Hatched').waitFor({ state: 'detached' });
    await page.close();
  });

  it('shows on a phone how each node is, why, and what to do, without pointing or scrolling sideways', async () => {
    const { page } = await openPage(browser, api.url, PHONE);
    const badges = page.locator('td .state');
    await badges.nth(3).waitFor();
    const ends = await Promise.all((await badges.all()).map((badge) => badge.boundingBox()));
    expect(Math.max(...ends.map((box) => (box === null ? Infinity : box.x + box.width)))).toBeLessThan(360);
    await page.goto(`${api.url}/node/aggregator`);
    const { node } = await api.read<{ node: Record<'da' | 'node', { reason: string }> }>(
      '{ node(id: "aggregator") { da { reason } node { reason } } }',
    );
    const textOf = (name: string): Promise<string> =>
      page.getByRole('region', { name, exact: true }).innerText();
    const told = await textOf('aggregator');
    for (const { reason } of [node.da, node.node]) expect(told).toContain(reason);
    expect(await textOf('DA submissions fail: aggregator (lab-1)')).toContain('What to do: ');
    expect(await page.getByRole('region', { name: ': down (down-1)' }).count()).toBe(0);
    await page.close();
  });

  it('explains the share next to bars, and shows the newest figures without a pointer', async () => {
    const startMs = loadRecording('aggregator').startMs;
    const [from, to] = [-3_600_000, 300_000].map((ms) => new Date(startMs + ms).toISOString());
    const { page } = await openPage(
      browser,
      `${api.url}/node/aggregator?asOf=${to}&from=${from}&to=${to}`,
      DESK,
    );
    const bar = page.locator('.bar-row', { hasText: 'DA, 24 h' });
    const figure = bar.locator('b', { hasText: '%' });
    expect(await figure.innerText()).toMatch(/^[\d.]+%$/);
    expect(await figure.getAttribute('title')).toMatch(/^[\d.]+% healthy of the known time$/);
    const values = page.locator('.legend [data-value]');
    await values.nth(3).waitFor();
    const shown = await values.allInnerTexts();
    expect(shown.filter((text) => text.trim() === '')).toEqual([]);
    expect(shown[0]).toMatch(/^2\d .* UTC$/);
    const [, last] = /^Attempts: .* last (.*)$/m.exec(await page.locator('main').innerText()) ?? [];
    const attempts = page.locator('.legend li', { hasText: 'Attempts' }).locator('b').first();
    expect([last, await attempts.innerText()]).toEqual([expect.stringMatching(/^\d/), last]);
    await page.close();
  });

  it('leads to older blocks, and back to the newest', async () => {
    const { page } = await openPage(browser, `${api.url}/node/aggregator`, DESK);
    const first = page.getByRole('region', { name: 'Blocks' }).locator('tbody a').first();
    const newest = Number(await first.innerText());
    const pages = page.getByRole('group', { name: 'Pages of blocks' });
    await pages.getByRole('button', { name: 'Older' }).click();
    await page
      .getByRole('link', { name: String(newest - 20), exact: true })
      .first()
      .waitFor();
    expect(Number(await first.innerText())).toBe(newest - 20);
    await pages.getByRole('button', { name: 'Newest' }).click();
    await page
      .getByRole('link', { name: String(newest), exact: true })
      .first()
      .waitFor();
    await page.close();
  });

  it('shows how an incident went and ended, and nothing later', async () => {
    const asked = await api.read<{
      incidents: { nodes: { id: string; from: string }[] };
      healthHistory: { from: string }[];
    }>(`{ incidents(filter: { nodes: ["aggregator"], subject: DA }) { nodes { id from } }
          healthHistory(node: "aggregator", component: DA) { from } }`);
    const { id = '', from = '' } = asked.incidents.nodes[0] ?? {};
    const [, end = '', ...later] = asked.healthHistory.map((state) => state.from).filter((at) => at >= from);
    expect(later.length).toBeGreaterThan(0);
    const { page } = await openPage(browser, 'about:blank', { ...DESK, until: 'html' });
    await page.route('**/graphql', async (route) => {
      const answer = await route.fetch();
      const text = await answer.text();
      await route.fulfill({
        response: answer,
        body: text.includes('"incident":{') ? text.replace('"to":null', `"to":"${end}"`) : text,
      });
    });
    await page.goto(`${api.url}/incident/${encodeURIComponent(id)}`);
    await page.getByText(/^Resolved after /).waitFor();
    const entries = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
    await entries.filter({ hasText: 'after its end' }).waitFor();
    const texts = await entries.allInnerTexts();
    expect(texts.filter((text) => text.includes('after its end'))).toEqual([texts.at(-1)]);
    expect(texts.filter((text) => text.includes('End of the incident'))).toHaveLength(1);
    const times = await entries.locator('time').all();
    const starts = await Promise.all(
      times.map(async (time) => Date.parse((await time.getAttribute('datetime')) ?? '')),
    );
    expect(starts.filter((ms) => ms > Date.parse(end))).toEqual([]);
    await page.close();
  });

  it('says first that data is incomplete while the read models are behind', async () => {
    const { page } = await openPage(browser, api.url, DESK);
    expect(await page.getByText('Some recorded events are not shown').count()).toBe(0);
    await page.route('**/graphql', async (route) => {
      const answer = await route.fetch();
      const text = await answer.text();
      await route.fulfill({
        response: answer,
        body: text.replace(/"behindSeconds":[^,}]+/, '"behindSeconds":7200'),
      });
    });
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page
      .getByText('Some recorded events are not shown yet. Nodes, rows and health are 2 h behind the log.')
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.close();
  });

  it('is filtered, and searched with the / key, by keyboard alone', async () => {
    const { page } = await openPage(browser, api.url, DESK);
    await page.getByLabel('Filter').fill('follow');
    await page.getByText('1 of 4 nodes').waitFor();
    expect(new URL(page.url()).searchParams.get('filter')).toBe('follow');
    await page.locator('h1').click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Group by').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('aggreg');
    const found = page.getByRole('list', { name: 'Found' }).getByRole('link');
    await found.first().waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await found.first().evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await found.first().waitFor({ state: 'detached' });
    await page.keyboard.type('aggreg');
    const path = await found.first().getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => `${url.pathname}${url.search}` === path);
    // A page that a result led to takes the focus, as after a link.
    await page.locator('#content:focus').waitFor();
    // Enter before there are results opens the first when they come.
    await page.keyboard.press('/');
    await page.keyboard.type('follow');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/node/follower');
    await page.close();
  });

  it('begins the page of a link at its top, and goes back to where a page was left', async () => {
    const { page } = await openPage(browser, api.url, DESK);
    await page.setViewportSize({ width: 900, height: 300 });
    await page.waitForLoadState('networkidle');
    // At once, as on a busy machine: the browser reports the scroll only with its next frame.
    await page.evaluate(`scrollTo(0, 250); document.querySelector('main a[href="/node/follower"]').click()`);
    await page.getByRole('heading', { level: 1, name: 'Node follower' }).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    // A card that arrives above the place does not move it.
    await page.evaluate(`new Promise((end) => {
      const reach = (then) => (scrollY === 250 ? then() : requestAnimationFrame(() => reach(then)));
      const addCard = () => {
        document.querySelector('main').prepend(Object.assign(document.createElement('div'), { id: 'card' }));
        document.querySelector('#card').style.height = '200px';
        requestAnimationFrame(() => requestAnimationFrame(() => reach(end)));
      };
      reach(addCard);
    })`);
    await page.close();
  });

  it('requests the bars of all nodes at once, and links a bar to its interval', async () => {
    const { page } = await openPage(browser, 'about:blank', { ...DESK, until: 'html' });
    let bars = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('query Bars')) bars += 1;
    });
    await page.goto(api.url);
    await page.locator('.bar-line a').nth(60).waitFor({ state: 'attached' });
    expect(bars).toBe(1);
    await page.locator('.bar-line a').nth(20).click();
    await page.waitForURL('**/node/aggregator?*');
    expect(new URL(page.url()).searchParams.get('from')).not.toBeNull();
    await page.close();
  });

  it('keeps grouping and sorting in the address, so that Back restores them', async () => {
    const { page } = await openPage(browser, api.url, PHONE);
    await page.getByLabel('Group by').selectOption('state');
    await page.locator('h2', { hasText: /^critical$/ }).waitFor();
    await page.getByLabel('Order by').selectOption('name');
    await page.waitForURL(/order=name/);
    await page.goBack();
    await page.goBack();
    await page.getByRole('region', { name: 'Nodes of lab-1' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.close();
  });

  it('keeps the time machine visible while it is on, and leaves it by a button', async () => {
    const { page } = await openPage(browser, `${api.url}/chain/lab-1?${at}`, PHONE);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    const bar = page.getByRole('region', { name: 'Past moment' });
    const { y = -1 } = (await bar.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThan(200);
    await bar.getByRole('button', { name: 'Back to now' }).click();
    await bar.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('asOf')).toBeNull();
    await page.close();
  });

  it("requests the server's present after a sleep", async () => {
    const { page } = await openPage(browser, `${api.url}/node/aggregator`, DESK);
    const ends: unknown[] = [];
    page.on('request', (request) => {
      const { variables } = (request.postDataJSON() ?? {}) as { variables?: { to?: string } };
      ends.push(variables?.to);
    });
    await clock.advance(3_600_000);
    const present = new Date(clock.now()).toISOString();
    await waitFor('a question of now', async () => {
      // On a busy machine the first answers may still be on their way, and a page does not ask twice at once.
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      return ends.includes(present) ? true : undefined;
    });
    await page.close();
  });

  it('polls every half minute, not while hidden, and at once when shown again', async () => {
    const { page } = await openPage(browser, 'about:blank', { ...DESK, until: 'html', nowMs: clock.now() });
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) asked += 1;
    });
    /** Its number of requests so far: once our own request is answered, all earlier ones are counted. */
    const count = async (): Promise<number> => {
      await page.evaluate(`fetch('/health/live').then((answer) => answer.text())`);
      return asked;
    };
    const show = (isShown: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${!isShown} });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await page.clock.install({ time: clock.now() });
    await page.goto(api.url);
    await page.locator('.bar-line a').nth(60).waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    const first = await count();
    await page.clock.fastForward(31_000);
    expect(await count()).toBeGreaterThan(first);
    await page.waitForLoadState('networkidle');
    await show(false);
    const before = await count();
    await page.clock.fastForward(600_000);
    expect(await count()).toBe(before);
    await show(true);
    expect(await count()).toBeGreaterThan(before);
    await page.context().close();
  });

  it('shows an hour by minutes, and zooms into a dragged range', async () => {
    const { page } = await openPage(browser, 'about:blank', { ...DESK, until: 'html' });
    await leaveAnswersOut(page);
    const asked: unknown[] = [];
    page.on('request', (request) => {
      const { variables } = (request.postDataJSON() ?? {}) as { variables?: { bucket?: string } };
      if (variables?.bucket !== undefined) asked.push(variables.bucket);
    });
    const range = [world.endMs - 3_600_000, world.endMs].map((ms) => new Date(ms).toISOString());
    await page.goto(`${api.url}/node/aggregator?from=${range[0]}&to=${range[1]}`);
    const chart = page.locator('.chart .u-over').first();
    await chart.scrollIntoViewIfNeeded();
    const { x, y, width } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(x + 0.9 * width, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + 0.9 * width + 6, y + 20, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL((url) => url.searchParams.get('from') !== range[0]);
    await page.locator('html[data-ready="true"]').waitFor();
    const { searchParams } = new URL(page.url());
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''));
    expect([(from ?? 1) % 60_000, (to ?? 1) % 60_000]).toEqual([0, 0]);
    await page.getByRole('button', { name: /^Time: / }).click();
    await page.getByRole('button', { name: '24 hours' }).click();
    await page.waitForURL(/last=1d/);
    await page.getByRole('heading', { name: 'Success rate' }).waitFor();
    expect(asked).toEqual(expect.arrayContaining(['MINUTE', 'TEN_SECONDS', 'QUARTER_HOUR']));
    await page.close();
  });

  it('folds nodes that are no longer monitored, whose bars end where monitoring ended', async () => {
    const { page } = await openPage(browser, api.url, DESK);
    await page.getByText('No longer monitored: 1').click();
    await page.getByRole('link', { name: 'gone', exact: true }).click();
    await page.getByText(/Not monitored since 18 Nov 2026/).waitFor();
    const bar = page.locator('.bar-row', { hasText: 'DA, 24 h' });
    await bar.locator('a.HEALTHY').first().waitFor();
    expect(await bar.locator('a').last().getAttribute('class')).toBe('HEALTHY');
    await page.locator('.state', { hasText: 'no longer monitored' }).waitFor();
    await page.getByRole('button', { name: 'Show its last week' }).click();
    await page.locator('.legend li', { hasText: 'Success rate 100%' }).waitFor();
    await page.close();
  });

  it.each([
    ['/', ['Fleet', 'OpenIncidents', 'FleetCosts', 'NodeFees', 'Incidents', 'Service']],
    ['/chain/lab-1?last=7d', ['ChartFigures', 'ChartCosts', 'Owner', 'OpenIncidents', 'Service']],
  ])(
    'requests missing data before the code that draws it is loaded, and each once: %s',
    async (path, first) => {
      const page = await browser.newPage();
      await leaveAnswersOut(page);
      const asked: string[] = [];
      page.on('request', (request) => {
        const name = /query (\w+)/.exec(
          (request.postDataJSON() as { query?: string } | null)?.query ?? '',
        )?.[1];
        if (name !== undefined) asked.push(name);
      });
      await page.route(/\/assets\/dashboard-/, async (route) => {
        await waitFor('the questions', async () => (asked.length >= first.length ? true : undefined), 10_000);
        await route.continue();
      });
      await drawInNoTime(page, api.url + path);
      expect(asked.slice(0, first.length)).toEqual(first);
      expect(asked.slice(first.length).filter((name) => first.includes(name))).toEqual([]);
      await page.close();
    },
  );

  it('says so when a part of it cannot be loaded', async () => {
    const { page } = await openPage(browser, 'about:blank', { ...DESK, until: 'html' });
    await page.route(/\/assets\/dashboard-.*js/, (route) => route.abort());
    await page.goto(api.url);
    await page.getByText('A part of this page could not be loaded.').waitFor();
    await page.close();
  });

  it.each(['/', '/node/aggregator', '/cost'])('is small at first load: %s', async (path) => {
    const { page } = await openPage(browser, api.url + path, DESK);
    await page.evaluate('document.fonts.ready');
    const names = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`,
    );
    const files = names.filter((name) => name.startsWith('/assets/'));
    expect(files.filter((name) => name.endsWith('.woff2'))).toHaveLength(1);
    const sizes = files.map((file) => gzipSync(readFileSync(`dist/pages${file}`)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_BYTES);
    await page.close();
  });
});
