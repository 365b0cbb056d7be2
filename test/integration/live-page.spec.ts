import type { Browser, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { LiveFeed } from '../../src/api/live/live-feed.js';
import { appendLog } from '../support/append-log.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startBrowser } from '../support/browser.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { waitFor } from '../support/service-process.js';
import { SmallLog } from '../support/small-log.js';

const KEY = 'a-key-of-16-chars';

/** The module of the pages, as a script that has its functions in `live`. */
async function bundleLive(): Promise<string> {
  const [bundle] = (await build({
    configFile: false,
    root: 'src',
    logLevel: 'error',
    build: {
      write: false,
      lib: { entry: 'dashboard/data/live.ts', formats: ['iife'], name: 'live' },
    },
  })) as Rolldown.RolldownOutput[];
  const code = bundle?.output[0].code ?? '';
  return `${code}; globalThis.live = live;`;
}

describe('the browser for live pages', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('the live connection of a page', () => {
  let database: TestDatabase;
  let api: ApiServer;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  const log = new SmallLog();

  const record = async (da: number): Promise<void> => {
    log.now += 1_000;
    await appendLog(api.dataSource, log.rows('alpha', [{ da }]).events.splice(0));
  };
  const settled = async (count: number): Promise<void> => {
    const feed = api.app.get(LiveFeed, { strict: false });
    await waitFor(`${count} subscriptions`, () => (feed.readyCount === count ? true : undefined));
  };
  const countIs = (count: number): Promise<true> =>
    waitFor(`${count} calls`, async () =>
      (await page.evaluate<number>('window.changes')) >= count ? true : undefined,
    );

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, { keys: [KEY] });
    await appendLog(api.dataSource, log.register('alpha').describe('alpha', 'one').events.splice(0));
    await record(1);
    browser = await startBrowser();
    page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${api.url}/`);
    await page.evaluate(await bundleLive());
  });

  afterAll(async () => {
    await browser?.close();
    await api?.stop();
    await database?.stop();
  });

  it('calls back about changes, under the policy of the pages, by one connection', async () => {
    await page.evaluate(`
      sessionStorage.setItem('hindsight-key', '${KEY}');
      window.changes = 0;
      const kinds = ['SubmissionsObserved', 'SubmissionsObserved', 'IncidentChanged'];
      window.ends = kinds.map((kind) => live.onChange({ kind, of: { nodes: ['alpha'] } }, () => { window.changes += 1; }));`);
    // The first two parts share a subscription.
    await settled(2);
    await record(2);
    await countIs(2);
  });

  it('connects again after the server was away, and calls back because it may have missed changes', async () => {
    const port = Number(new URL(api.url).port);
    await page.evaluate('window.changes = 0');
    await api.stop();
    api = await startApi(database.url, { keys: [KEY], port });
    await settled(2);
    await countIs(3);
    await page.evaluate('window.changes = 0');
    await record(3);
    await countIs(2);
  });

  it('closes the connection when no part needs it', async () => {
    await page.evaluate('window.ends[0]()');
    await settled(2);
    await page.evaluate('window.ends[1]()');
    await settled(1);
    await page.evaluate('window.ends[2]()');
    await settled(0);
    expect(errors.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
  });
});
