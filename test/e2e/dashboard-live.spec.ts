import type { Browser, Page } from 'playwright-core';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { findBarriers, openPage, startBrowser } from '../support/browser.js';
import { DESK } from '../support/dashboard-world.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 180_000;
/** Far less than the half minute after which a page queries without a change. */
const LIVE_MS = 12_000;

describe('the browser for the live dashboard', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('an open page', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let node: Devnode;
  let service: ServiceProcess;
  let browser: Browser;
  let page: Page;

  /** Waits until the record has this state of the node's DA layer. */
  const recorded = (wanted: string): Promise<true> =>
    waitFor(
      `${wanted} on record`,
      async () => {
        const { nodes } = await service.graphql<{ nodes: { da: { state: string } | null }[] }>(
          '{ nodes { da { state } } }',
        );
        return nodes[0]?.da?.state === wanted ? true : undefined;
      },
      PATIENCE_MS,
    );
  const fault = (body: object): Promise<Response> =>
    fetch(`${node.url}/dev/fault`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  beforeAll(async () => {
    database = await startEmptyDatabase();
    node = await startDevnode({ chainId: 'live-1', blockTimeMs: 200, daBlockTimeMs: 400 });
    service = await home.start(`dev=${node.url}`, { databaseUrl: database.url });
    browser = await startBrowser();
    await recorded('HEALTHY');
    ({ page } = await openPage(browser, service.address, DESK));
  }, PATIENCE_MS);

  afterAll(async () => {
    await browser?.close();
    await home.clear();
    await node?.stop();
    await database?.stop();
  }, PATIENCE_MS);

  it(
    'shows a fault soon after it is on record, with what to do, and in its tab',
    async () => {
      await page.getByRole('button', { name: /^Live/ }).waitFor();
      await page.getByRole('heading', { name: 'Node healthy' }).waitFor();
      await fault({ fault: 'refused' });
      await recorded('CRITICAL');
      await page.getByRole('heading', { name: '1 of 1 node critical' }).waitFor({ timeout: LIVE_MS });
      const card = page.getByRole('region', { name: 'DA submissions fail: dev (live-1)' });
      await card.getByText('What to do:').waitFor({ timeout: LIVE_MS });
      await card.getByRole('link', { name: 'Runbook' }).waitFor();
      await waitFor('the sign in the tab', async () =>
        (await page.title()).startsWith('✕ ') ? true : undefined,
      );
      expect(await page.locator('link[rel=icon]').getAttribute('href')).toContain('%23e5484d');
      expect(await findBarriers(page)).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'acknowledges an incident by mouse, with a typed name that it remembers',
    async () => {
      const card = page.getByRole('region', { name: /DA submissions fail/ });
      await card.getByRole('button', { name: 'Acknowledge' }).click();
      await card.getByLabel('Your name').fill('Ada');
      await card.getByLabel('Note').fill('funding the account');
      await card.locator('form').getByRole('button', { name: 'Acknowledge' }).click();
      await card.getByText('Acknowledged by Ada').waitFor();
      const { incidents } = await service.graphql<{ incidents: { nodes: { acknowledgements: object[] }[] } }>(
        '{ incidents(filter: { open: true }) { nodes { acknowledgements { by note } } } }',
      );
      expect(incidents.nodes.flatMap(({ acknowledgements }) => acknowledgements)).toEqual([
        { by: 'Ada', note: 'funding the account' },
      ]);
    },
    PATIENCE_MS,
  );

  it(
    'silences the alerts of its nodes by keyboard',
    async () => {
      const card = page.getByRole('region', { name: /DA submissions fail/ });
      await card.getByRole('button', { name: 'Silence' }).focus();
      await page.keyboard.press('Enter');
      expect(await card.getByLabel('Your name').inputValue()).toBe('Ada');
      await card.getByRole('combobox', { name: /^For/ }).focus();
      await page.keyboard.type('8 h');
      await card.getByLabel('Note').focus();
      await page.keyboard.type('being fixed');
      await page.keyboard.press('Enter');
      await card.getByLabel('Note').waitFor({ state: 'detached' });
      await card.getByText(/^\s*Silenced until/).waitFor();
      const { silences } = await service.graphql<{ silences: { from: string; until: string }[] }>(
        '{ silences { by note nodes from until } }',
      );
      expect(silences).toEqual([expect.objectContaining({ by: 'Ada', note: 'being fixed', nodes: ['dev'] })]);
      const hours = silences.map(({ from, until }) => (Date.parse(until) - Date.parse(from)) / 3_600_000);
      expect(hours.map(Math.round)).toEqual([8]);
    },
    PATIENCE_MS,
  );

  it(
    'stands still while it is paused',
    async () => {
      await page.getByRole('button', { name: /^Live/ }).click();
      await page.getByRole('button', { name: 'Paused' }).waitFor();
      await fault({ end: 'all' });
      await recorded('HEALTHY');
      expect(await page.getByRole('heading', { name: '1 of 1 node critical' }).count()).toBe(1);
      await page.getByRole('button', { name: 'Paused' }).click();
      await page.getByRole('heading', { name: /^Node healthy/ }).waitFor();
    },
    PATIENCE_MS,
  );

  it('draws another page without loading another document, and begins the page at its top', async () => {
    await page.evaluate('window.isSameDocument = true; scrollTo(0, 200);');
    await page.getByRole('table').getByRole('link', { name: 'dev', exact: true }).click();
    await page.getByRole('heading', { name: 'Node dev' }).waitFor();
    expect(await page.evaluate('[window.isSameDocument, scrollY, document.activeElement.id]')).toEqual([
      true,
      0,
      'content',
    ]);
    await page.goBack();
    await page.getByRole('heading', { name: /^Node healthy/ }).waitFor();
    expect(await page.evaluate('window.isSameDocument')).toBe(true);
  });

  it(
    'says that the connection is lost, and is live again once the service is back',
    async () => {
      const port = new URL(service.address).port;
      process.kill(service.pid, 'SIGTERM');
      await service.exit;
      await page.getByRole('button', { name: 'Connection lost' }).waitFor({ timeout: 60_000 });
      service = home.launch(['start', '--node', `dev=${node.url}`, '--port', port], {
        databaseUrl: database.url,
      });
      await service.ready;
      await page.getByRole('button', { name: /^Live/ }).waitFor({ timeout: 60_000 });
    },
    PATIENCE_MS,
  );
});
