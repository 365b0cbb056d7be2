import { get, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { EXPENSIVE_FROM } from '../../src/api/graphql/query-cost.js';
import { appendLog } from '../support/append-log.js';
import { drawInNoTime, openPage, startBrowser } from '../support/browser.js';
import { hasProgram } from '../support/programs.js';
import { sendWhole, startRewritingProxy } from '../support/rewriting-proxy.js';
import { recordLog } from '../support/record-log.js';
import { TableLock } from '../support/table-lock.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { useApi } from '../support/use-database.js';

interface Came {
  readonly question: string;
  /** Undefined if the page has to ask. */
  readonly answer:
    | {
        readonly data: Record<string, unknown>;
        readonly extensions: { readonly cost: { readonly requested: number } };
      }
    | undefined;
}

/** The text in an attribute between single quotes. */
const plain = (html: string): string =>
  html.replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

function readAnswers(html: string): Came[] {
  const elements = html.matchAll(/<data hidden data-question='([^']*)' value='([^']*)'><\/data>/g);
  return [...elements].map(([, question = '', value = '']) => ({
    question: plain(question),
    answer: value === '' ? undefined : (JSON.parse(plain(value)) as Came['answer']),
  }));
}

/** The names of operations, in alphabetical order, because they arrive in any order. */
const namesOf = (came: readonly Came[]): string[] =>
  came.map(({ question }) => /query (\w+)/.exec(question)?.[1] ?? '').toSorted();

const OF_THE_FLEET = ['Fleet', 'FleetCosts', 'Incidents', 'NodeFees', 'OpenIncidents', 'Service'];
const OF_A_CHAIN = ['ChartCosts', 'ChartFigures', 'OpenIncidents', 'Owner', 'Service'];

describe('the first query of a page', () => {
  const api = useApi();

  beforeAll(async () => {
    await appendLog(api.dataSource, recordLog({ nodes: ['aggregator', 'follower'], to: 120_000 }));
  }, 300_000);

  const pageAt = async (path: string): Promise<string> => (await fetch(api.url + path)).text();

  it.each([
    ['/', OF_THE_FLEET],
    ['/chain/lab-1?last=1d', OF_A_CHAIN],
    ['/chain/lab-1?last=1y&zone=UTC', OF_A_CHAIN],
    ['/node/aggregator?asOf=2026-11-01T00:00:00Z&zone=Europe/Berlin', OF_A_CHAIN],
    ['/?asOf=2026-11-01T00:00:00Z', OF_THE_FLEET],
    ['/?knownAt=2026-11-25T00:00:00Z', OF_THE_FLEET],
    // Days begin by the clocks of a zone; at a first visit, of that of the service.
    ['/chain/lab-1?last=1y', OF_A_CHAIN],
    ['/cost', ['Service']],
  ])('is answered within the page, as GraphQL answers: %s', async (path, names) => {
    const came = readAnswers(await pageAt(path));
    expect(namesOf(came)).toEqual(names);
    for (const { question, answer } of came) {
      const asked = await fetch(`${api.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: question,
      });
      const again = (await asked.json()) as Came['answer'];
      const without = (given: Came['answer']) => ({ ...given?.data, now: '', service: '' });
      expect(without(answer)).toEqual(without(again));
      expect(answer).not.toHaveProperty('errors');
    }
  });

  it('waits for no slot of expensive queries on the fleet page', async () => {
    const costs = readAnswers(await pageAt('/')).map(({ answer }) => answer?.extensions.cost.requested);
    expect(costs).toHaveLength(OF_THE_FLEET.length);
    for (const cost of costs) expect(cost).toBeLessThan(EXPENSIVE_FROM);
  });

  it('is not cached, and is answered for the present time that the page is given', async () => {
    const response = await fetch(`${api.url}/chain/lab-1`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const html = await response.text();
    const now = /<meta name="now" content="([^"]+)"/.exec(html)?.[1];
    const charts = readAnswers(html).find(({ question }) => question.includes('ChartFigures'));
    expect(JSON.parse(charts?.question ?? '{}')).toMatchObject({ variables: { to: now } });
  });

  it.each([
    ['/chain/lab-1', OF_A_CHAIN],
    ['/', OF_THE_FLEET],
  ])('is left to the page only where it is refused at once: %s', async (path, names) => {
    const came = readAnswers(await pageAt(`${path}?asOf=no-time`));
    expect(namesOf(came)).toEqual(names);
    expect(namesOf(came.filter(({ answer }) => answer !== undefined))).toEqual(['Service']);
  });

  it('adds no more listeners than an answer may have', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): number => warnings.push(warning);
    process.on('warning', note);
    await pageAt('/');
    await setImmediate();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('lets no text of an address out of its attribute', async () => {
    const path = `/chain/${encodeURIComponent(`'><script>alert(1)</script>&lt;`)}`;
    const html = await pageAt(path);
    expect(html).not.toContain('<script>');
    expect(namesOf(readAnswers(html))).toEqual(OF_A_CHAIN);
    expect(readAnswers(html).some(({ question }) => question.includes(`'><script>`))).toBe(true);
  });

  it('is compressed for clients that accept it', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const [answer] = (await once(get(`${api.url}/chain/lab-1`, { headers }), 'response')) as [
      IncomingMessage,
    ];
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip' });
    const html = gunzipSync(await buffer(answer)).toString();
    expect(html.trim().endsWith('</html>')).toBe(true);
    expect(namesOf(readAnswers(html))).toEqual(OF_A_CHAIN);
  });

  it('is in the zone that the browser named in an earlier visit', async () => {
    const htmlFor = async (zone: string): Promise<string> =>
      (
        await fetch(`${api.url}/chain/lab-1?last=1y`, { headers: { cookie: `a=b; hindsight-zone=${zone}` } })
      ).text();
    expect(namesOf(readAnswers(await htmlFor('Europe/Berlin')))).toEqual(OF_A_CHAIN);
    expect(await htmlFor('Europe/Berlin')).toContain('"timeZone":"Europe/Berlin"');
    // At a first visit, the zone of the service's machine.
    const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const html of [await htmlFor('<script>'), await pageAt('/chain/lab-1?last=1y')]) {
      expect(html).toContain(`<meta name="zone" content="${own}" />`);
      expect(namesOf(readAnswers(html))).toEqual(OF_A_CHAIN);
      expect(html).toContain(`"timeZone":"${own}"`);
    }
  });

  it('is not asked when a client wants only the head', async () => {
    const asking = request(`${api.url}/chain/lab-1`, { method: 'HEAD' });
    asking.end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    expect([answer.statusCode, await text(answer)]).toEqual([200, '']);
  });

  it('is answered when the answer is there, after everything that the page loads', async () => {
    const lock = await TableLock.take(String(Reflect.get(api.dataSource.options, 'url')), 'node');
    const answer = await fetch(`${api.url}/chain/lab-1`);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let html = '';
    try {
      while (!html.includes('<div id="app">')) html += (await reader?.read())?.value ?? '';
      expect(html).toContain('/assets/');
      expect(namesOf(readAnswers(html))).not.toContain('Owner');
    } finally {
      await lock.release();
    }
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      html += part.value;
    expect(html.trim().endsWith('</html>')).toBe(true);
    expect(namesOf(readAnswers(html))).toEqual(OF_A_CHAIN);
  });

  (hasProgram('chromium') ? describe : describe.skip)('in a browser', () => {
    let browser: Browser;

    beforeAll(async () => {
      browser = await startBrowser();
    });

    afterAll(() => browser.close());

    it('is not repeated by the page', async () => {
      const page = await browser.newPage();
      const asked: string[] = [];
      page.on('request', (sent) => asked.push(/query (\w+)/.exec(sent.postData() ?? '')?.[1] ?? ''));
      await drawInNoTime(page, `${api.url}/chain/lab-1`);
      expect(asked.filter((name) => OF_A_CHAIN.includes(name))).toEqual([]);
      await page.close();
    });

    it.each([
      ['of the service', new Intl.DateTimeFormat().resolvedOptions().timeZone, []],
      ['of another place', 'Pacific/Kiritimati', ['ChartFigures', 'ChartCosts']],
    ])(
      'is asked again at a first visit from the zone %s only where days differ',
      async (_, timezoneId, again) => {
        const context = await browser.newContext({ timezoneId });
        for (const expected of [again, []]) {
          const page = await context.newPage();
          const asked: string[] = [];
          page.on('request', (sent) => asked.push(/query (\w+)/.exec(sent.postData() ?? '')?.[1] ?? ''));
          await drawInNoTime(page, `${api.url}/chain/lab-1?last=1y`);
          expect(asked.filter((name) => OF_A_CHAIN.includes(name)).toSorted()).toEqual(
            [...expected].toSorted(),
          );
          await page.close();
        }
        await context.close();
      },
    );

    it('is repeated by the page if its connection broke', async () => {
      let breakConnection: (() => void) | undefined;
      const proxy = await startRewritingProxy(api.url, (answer, response) => {
        if (!answer.headers['content-type']?.startsWith('text/html')) return sendWhole(answer, response);
        const [start] = answer.body.toString().split('<data');
        response.writeHead(200, { 'content-type': 'text/html' }).write(String(start));
        breakConnection = () => response.destroy();
      });
      const page = await browser.newPage();
      await page.clock.install();
      await page.goto(`${proxy.url}/`, { waitUntil: 'commit' });
      await page.locator('main').waitFor({ state: 'attached' });
      // Not earlier: the browser stops parsing when the connection breaks, even if `#app` has already arrived.
      const broken = page.waitForEvent('requestfailed', (sent) => sent.isNavigationRequest());
      breakConnection?.();
      await broken;
      await page.clock.runFor(12_000);
      await page.locator('html[data-ready="true"]').waitFor({ state: 'attached' });
      expect(await page.locator('#app').innerText()).toContain('aggregator');
      await page.close();
      await proxy.close();
    });

    it('lets a page render even if the requested moment is invalid', async () => {
      const { page } = await openPage(browser, `${api.url}/?asOf=no-time`, {
        width: 1_400,
        colours: 'light',
      });
      expect(await page.locator('#app').innerText()).toContain('"no-time" is not an ISO 8601 time');
      await page.close();
    });
  });
});

describe('the first query where a key is needed', () => {
  const open = useApi();
  let api: ApiServer;

  beforeAll(async () => {
    const url = String(Reflect.get(open.dataSource.options, 'url'));
    api = await startApi(url, { keys: ['a-key-of-the-settings'] });
  });

  afterAll(() => api.stop());

  it('is not answered without a key', async () => {
    const htmlFor = async (headers: Record<string, string>): Promise<string> =>
      (await fetch(`${api.url}/chain/lab-1`, { headers })).text();
    expect(readAnswers(await htmlFor({}))).toEqual([]);
    expect(readAnswers(await htmlFor({ 'x-api-key': 'another' }))).toEqual([]);
    expect(namesOf(readAnswers(await htmlFor({ 'x-api-key': 'a-key-of-the-settings' })))).toEqual(OF_A_CHAIN);
  });
});
