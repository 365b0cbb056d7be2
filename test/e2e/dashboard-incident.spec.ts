import type { Browser } from 'playwright-core';
import { openPage, startBrowser } from '../support/browser.js';
import { DESK, findFlaws, keepPicture, PHONE } from '../support/dashboard-world.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { recordFaults, type RiggedRecord, type ToldIncident } from '../support/rig/rigged-record.js';

const AT_MS = 60_000;
const LENGTH_MS = 140_000;

interface ToldImpact {
  readonly attempts: string;
  readonly blocks: { readonly produced: string };
  readonly waits: Readonly<Record<'delayed' | 'stillWaiting' | 'mostWaiting', string>>;
}

describe('the browser for incidents', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('the page of an incident of several nodes', () => {
  let record: RiggedRecord;
  let browser: Browser;
  let incident: ToldIncident;

  beforeAll(async () => {
    const scenario = { steps: [{ fault: 'frozen', atMs: AT_MS, forMs: LENGTH_MS }] } as const;
    const first = { id: 'alpha', scenario };
    record = await recordFaults(
      [first, { id: 'beta', scenario, sameAs: 'alpha', options: { chainId: 'alpha-1' } }],
      LENGTH_MS,
    );
    const [told] = await record.getIncidents('beta');
    if (!told) throw new Error('there is no incident');
    incident = told;
    browser = await startBrowser();
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await record?.stop();
  });

  it.each([
    ['on a desk', DESK],
    ['on a phone', PHONE],
  ] as const)('reports each incident and its chain as GraphQL does: %s', async (name, looking) => {
    const { api } = record;
    const path = `/incident/${encodeURIComponent(incident.id)}`;
    const { page, errors } = await openPage(browser, api.url + path, looking);
    await page.locator('h1', { hasText: /finality at (alpha|beta) and 1 more \(alpha-1\)/ }).waitFor();
    const nodes = page.getByRole('region', { name: /^Nodes, by their first sign/ }).locator('tbody tr');
    expect((await nodes.getByRole('link').allInnerTexts()).toSorted()).toEqual(['alpha', 'beta']);
    for (const id of ['alpha', 'beta'])
      await page.locator('caption', { hasText: `What happened at ${id}` }).waitFor();
    const { incident: asked } = await api.read<{ incident: { impact: ToldImpact } }>(
      `{ incident(id: "${incident.id}") { impact { attempts blocks { produced } waits { delayed stillWaiting mostWaiting } } } }`,
    );
    const { attempts, blocks, waits } = asked.impact;
    // The state is still frozen, although it was late before.
    await page.getByText('ongoing', { exact: true }).first().waitFor();
    await page.getByText('Still waiting', { exact: true }).waitFor();
    const cards = await page.locator('.cards').innerText();
    for (const [title, value] of [
      ['Attempts', attempts],
      ['Produced', blocks.produced],
      ['Peak backlog, at least', waits.mostWaiting],
      ['Delayed', waits.delayed],
      ['Still waiting', waits.stillWaiting],
    ] as const)
      expect(cards).toMatch(new RegExp(`^${title}\\s+${value}$`, 'm'));
    expect(await findFlaws(page)).toEqual([]);
    expect(errors).toEqual([]);
    await keepPicture(page, `incident of two nodes ${name}`);
    await page.close();
  });
});
