import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import type { DataSource } from 'typeorm';
import { bringInYear } from '../src/cli/demo-year.js';
import { RollUp } from '../src/statistics/roll-up/roll-up.js';
import { openPage, startBrowser } from '../test/support/browser.js';
import { projectAll } from '../test/support/read-models.js';
import { startBenchServer } from './support/bench-database.js';
import { startChild } from './support/child.js';
import { round, type Bench, type Figure } from './support/figures.js';
import { medianOf, playRounds, ratioOf, wallMs } from './support/rounds.js';

const ROUNDS = 9;
const YEAR = '/chain/made-up-year?last=1y';
const LOOKING = { width: 1_440, colours: 'light', until: 'html[data-ready="true"]' } as const;
/** The dragged part of a chart: a quarter, around its middle. */
const DRAWN = [0.375, 0.625] as const;
/** Steps from a year to an hour, each to a quarter of the range. */
const STEPS = 5;
/** Browsers call longer tasks "long", and report no others. */
const LONG_MS = 50;

export const bench: Bench = {
  about: 'the dashboard in Chromium, with a year of data',
  run: async () => {
    const server = await startBenchServer();
    try {
      const dataSource = await server.createDatabase();
      await bringIn(dataSource);
      const databaseUrl = String((dataSource.options as { url?: string }).url);
      const service = await startChild<string>('hindsight-server.ts', { databaseUrl });
      const browser = await startBrowser();
      try {
        return [
          ...(await measureFirstLoad(browser, service.ready)),
          await measureZoom(browser, service.ready),
        ];
      } finally {
        await browser.close();
        await service.stop();
      }
    } finally {
      await server.stop();
    }
  },
};

/** Imports the demo's sample year, up to now. */
async function bringIn(dataSource: DataSource): Promise<void> {
  await bringInYear(dataSource, Date.now());
  await projectAll(dataSource);
  const rollUp = new RollUp(dataSource);
  while ((await rollUp.run(() => true)) > 0);
}

/**
 * From the address to drawn charts with an empty cache. The peer is a page of the same browser that sends the same queries and
 * draws nothing: it shares the two cores with the service as well. Without a browser the answers come sooner; this is the aim.
 */
async function measureFirstLoad(browser: Browser, url: string): Promise<Figure[]> {
  let bodies: string[] = [];
  const costs = await playRounds(
    [
      {
        name: 'page',
        run: async () => {
          const { drawnMs, asked } = await load(browser, url);
          bodies = asked;
          return drawnMs;
        },
      },
      { name: 'bare page', run: () => loadBare(browser, url, bodies) },
      { name: 'answers', run: () => answersMs(url, bodies) },
    ],
    ROUNDS,
    3,
  );
  const what = 'first load to drawn charts of a year';
  const ours = `${round(medianOf(costs, 'page'))} ms`;
  return [
    {
      what: `${what}, against a page that sends the same queries and draws nothing`,
      ours,
      peer: `${round(medianOf(costs, 'bare page'))} ms`,
      value: ratioOf(costs, 'page', 'bare page'),
      limit: { atMost: 2 },
    },
    {
      what: `${what}, against the answers to its queries without a browser`,
      ours,
      peer: `${round(medianOf(costs, 'answers'))} ms`,
      value: ratioOf(costs, 'page', 'answers'),
      aim: { atMost: 2 },
    },
  ];
}

/** Records when a page has drawn, by its own clock, which starts at navigation. */
const TELL_DRAWN = `new MutationObserver(() => {
  if (document.documentElement?.dataset.ready === 'true') window.drawnAt ??= performance.now();
}).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-ready'] })`;

/**
 * The time at which the page had drawn, the queries that were answered within the page, and how many sent queries were answered
 * by then: later answers do not count.
 */
const DRAWN_AND_ANSWERED = `[window.drawnAt,
  [...document.querySelectorAll('data[data-question]')].map(({ dataset }) => dataset.question),
  performance.getEntriesByType('resource').filter(
    ({ name, responseEnd }) => name.endsWith('/graphql') && responseEnd <= window.drawnAt).length]`;

async function load(browser: Browser, url: string): Promise<{ drawnMs: number; asked: string[] }> {
  const page = await openUncached(browser);
  try {
    const asked: string[] = [];
    page.on('requestfinished', (finished) => {
      const body = finished.postData();
      if (body !== null) asked.push(body);
    });
    await page.addInitScript(TELL_DRAWN);
    await page.goto(url + YEAR);
    await page.locator(LOOKING.until).waitFor({ state: 'attached' });
    const told = await page.evaluate(DRAWN_AND_ANSWERED);
    const [drawnMs, came, answered] = told as [number, string[], number];
    return { drawnMs, asked: [...came, ...asked.slice(0, answered)] };
  } finally {
    await page.close();
  }
}

/** Opens the smallest page of the service, and sends the queries at once from there. Its own policy would not allow that. */
async function loadBare(browser: Browser, url: string, bodies: readonly string[]): Promise<number> {
  const page = await openUncached(browser, true);
  try {
    await page.addInitScript(`const answer = async (body) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/graphql', { method: 'POST', headers, body })).json();
    };
    window.answered = Promise.all(${JSON.stringify(bodies)}.map(answer)).then((answers) => {
      if (answers.some(({ data }) => !data)) throw new Error('a query was refused');
      return performance.now();
    })`);
    await page.goto(`${url}/health/live`);
    return (await page.evaluate('window.answered')) as number;
  } finally {
    await page.close();
  }
}

/** Opens an empty page in the running browser, since starting one is not part of a page. Nothing is cached from earlier loads. */
async function openUncached(browser: Browser, bypassesPolicy = false): Promise<Page> {
  const { page } = await openPage(browser, 'about:blank', { ...LOOKING, until: 'html' });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  if (bypassesPolicy) await devtools.send('Page.setBypassCSP', { enabled: true });
  return page;
}

/** Sends all queries at once, by as many new connections as a browser makes. */
async function answersMs(url: string, bodies: readonly string[]): Promise<number> {
  const agent = new Agent({ maxSockets: 6 });
  try {
    return await wallMs(() => Promise.all(bodies.map((body) => answerTo(url, body, agent))));
  } finally {
    agent.destroy();
  }
}

async function answerTo(url: string, body: string, agent: Agent): Promise<void> {
  const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip' };
  const asking = request(`${url}/graphql`, { method: 'POST', headers, agent });
  asking.end(body);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`the service answers with ${answer.statusCode}`);
  answer.resume();
  await once(answer, 'end');
}

const TELL_LONG_TASKS = `window.tasks = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration)))
  .observe({ type: 'longtask' })`;

/** Drags over a part of a chart repeatedly, until the chart shows an hour in quarters. */
async function measureZoom(browser: Browser, url: string): Promise<Figure> {
  const { page } = await openPage(browser, url + YEAR, LOOKING);
  await page.evaluate(TELL_LONG_TASKS);
  for (let step = 0; step < STEPS; step += 1) await zoom(page);
  const tasks = (await page.evaluate('window.tasks')) as number[];
  const longest = Math.max(0, ...tasks);
  await page.close();
  return {
    what: `zooming from a year to quarters of an hour in ${STEPS} steps: the longest task`,
    ours: longest === 0 ? `none above ${LONG_MS} ms` : `${round(longest)} ms`,
    value: longest,
    limit: { atMost: 100 },
  };
}

async function zoom(page: Page): Promise<void> {
  const before = page.url();
  const chart = page.locator('.chart .u-over').first();
  await page.evaluate("document.querySelector('.chart .u-over').scrollIntoView({ block: 'center' })");
  const box = await chart.boundingBox();
  if (box === null) throw new Error('there is no chart to drag over');
  const [from, to] = DRAWN.map((part) => box.x + part * box.width);
  const y = box.y + box.height / 2;
  await page.mouse.move(from ?? 0, y);
  await page.mouse.down();
  await page.mouse.move(to ?? 0, y, { steps: 10 });
  await page.mouse.up();
  await page.waitForURL((address) => address.href !== before);
  await page.locator(LOOKING.until).waitFor({ state: 'attached' });
  await page.locator('.chart canvas').first().waitFor();
}
