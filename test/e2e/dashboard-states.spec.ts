import type { Page } from 'playwright-core';
import { openPage } from '../support/browser.js';
import {
  DESK,
  findFlaws,
  keepPicture,
  leaveAnswersOut,
  PHONE,
  startDashboardWorld,
  type DashboardWorld,
} from '../support/dashboard-world.js';
import { hasProgram, itHasProgram } from '../support/programs.js';

const KEY = 'a-key-of-16-chars';
const LENGTH_MS = 147_500;
/** Browser messages for requests that fail or lack a key: these are not page errors. */
const EXPECTED = /^Failed to load resource: (?:net::ERR_FAILED|the server responded with a status of 401)/;

describe('the browser for each page in each state', () => itHasProgram('chromium'));

/** Nodes whose pages are checked, with their chains. */
const OF_NODE = {
  aggregator: 'lab-1',
  down: 'down-1',
  hostile: 'hostile-1',
} as const;
type Node = keyof typeof OF_NODE;

const PAGES = [
  'fleet',
  'node',
  'chain',
  'incidents',
  'incident',
  'submissions',
  'submission',
  'block',
  'cost',
  'alerts',
] as const;
type PageName = (typeof PAGES)[number];
/** The frame says alike on all pages why there is no answer. */
const SOME_PAGES = ['fleet', 'incident'] as const;

/** Text on a node's page once it is drawn completely. */
const TELLS: Readonly<Record<PageName, RegExp>> = {
  fleet:
    /\d of \d nodes critical(?=[^]*What to do:)[^]*Node unreachable: down \(down-1\)[^]*Node unreachable for/,
  node: /All submissions of/,
  chain: /All submissions of/,
  incidents: /Newest first/,
  incident: /What happened/,
  submissions: /Newest first/,
  submission: /As sent by the node/,
  block: /Five minutes around this moment/,
  cost: /Price book/,
  alerts: /No alerts are set up/,
};

/** Text on a page when nothing is recorded. */
const EMPTY: Readonly<Record<PageName, RegExp>> = {
  fleet: /No nodes monitored yet[^]*Add one to the\s+settings/,
  node: /No node with this id/,
  chain: /No chain with this id/,
  incidents: /No incident is recorded/,
  incident: /No incident with this id/,
  submissions: /No submission is recorded yet/,
  submission: /No submission with this id/,
  block: /There is no chain "lab-1"/,
  cost: /No chain has been seen yet|No chain is named/,
  alerts: /No alerts are set up/,
};

/** Pages of one node, chain or row; all others show the three nodes beside each other. */
const HOSTILE_TELLS = {
  node: TELLS.node,
  chain: TELLS.chain,
  submission: TELLS.submission,
  block: /No node had shown a block of this height/,
  cost: TELLS.cost,
} as const;

(hasProgram('chromium') ? describe : describe.skip)('each page', () => {
  let world: DashboardWorld;
  let paths: Readonly<Record<Node, Readonly<Record<PageName, string>>>>;

  beforeAll(async () => {
    world = await startDashboardWorld(LENGTH_MS, KEY);
    const nodes = Object.keys(OF_NODE) as Node[];
    const found = await Promise.all(nodes.map(async (node) => [node, await pathsOf(node)] as const));
    paths = Object.fromEntries(found) as typeof paths;
  }, 240_000);

  afterAll(() => world?.stop());

  async function pathsOf(node: Node): Promise<Record<PageName, string>> {
    const chain = OF_NODE[node];
    const { submissions, incidents, blocks } = await world.api.read<
      Record<'submissions' | 'incidents' | 'blocks', { nodes: { id: string; height: string }[] }>
    >(
      `query ($nodes: [ID!]!) {
        submissions(filter: { nodes: $nodes }, first: 1) { nodes { id } }
        incidents(filter: { nodes: $nodes }, first: 1) { nodes { id } }
        blocks(filter: { nodes: $nodes }, first: 1) { nodes { id height } }
      }`,
      { nodes: [node] },
    );
    const idOf = (list: { nodes: { id: string }[] }): string =>
      encodeURIComponent(list.nodes[0]?.id ?? 'none');
    return {
      fleet: '/',
      node: `/node/${node}`,
      chain: `/chain/${chain}`,
      incidents: '/incidents',
      incident: `/incident/${idOf(incidents)}`,
      submissions: '/submissions',
      submission: `/submission/${idOf(submissions)}`,
      block: `/block/${chain}/${blocks.nodes[0]?.height ?? '1'}`,
      cost: `/cost?chain=${chain}&period=DAY`,
      alerts: '/alerts',
    };
  }

  /**
   * Checks a page wide and light, then narrow and dark: it must have no flaws, and send requests only to this server.
   *
   * @param isFull whether it is a page with data, which gets the rules of looks in both; other states of a page have the same
   *   parts, or fewer, and get all rules where they are narrow and dark
   */
  async function look(page: Page, url: string, name: string, isFull = false): Promise<string[]> {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const flaws: string[] = [];
    const views = [
      [DESK, isFull ? 'ALL' : 'NONE'],
      [PHONE, isFull ? 'LOOKS' : 'ALL'],
    ] as const;
    for (const [{ width, colours }, rules] of views) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: colours });
      flaws.push(...(await findFlaws(page, rules)).map((flaw) => `${width} pixels, ${colours}: ${flaw}`));
      await keepPicture(page, `${name} ${width} ${colours}`);
    }
    const strangers = asked.filter((each) => !each.startsWith(url) && !each.startsWith('data:'));
    return [...flaws, ...strangers.map((each) => `it asks ${each}`)];
  }

  const told = async (page: Page, text: RegExp): Promise<void> => {
    await page.locator('main', { hasText: text }).waitFor();
  };

  const ofNodes: readonly (readonly [state: string, name: PageName, node: Node, text: RegExp])[] = [
    ...PAGES.map((name) => ['with data', name, 'aggregator', TELLS[name]] as const),
    ['with a loss', 'node', 'down', /Gaps[^]*or more/],
    ['with a loss', 'chain', 'down', /Gaps[^]*or more/],
    ['whose node is down', 'incident', 'down', /Node unreachable: down[^]*What to do/],
    ['whose node is down', 'submission', 'down', /error/],
    ['whose node is down', 'block', 'down', /Pending: later successes/],
    ['whose node is down', 'cost', 'down', TELLS.cost],
    ...(['node', 'chain', 'submission', 'block', 'cost'] as const).map(
      (name) => ['with hostile texts', name, 'hostile', HOSTILE_TELLS[name]] as const,
    ),
  ];

  it.each(ofNodes)('%s: %s', async (state, name, node, text) => {
    const { page, errors } = await openPage(world.browser, world.api.url + paths[node][name], DESK);
    await told(page, text);
    expect(await look(page, world.api.url, `${name} ${state}`, state === 'with data')).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it.each(PAGES)('when nothing is recorded: %s', async (name) => {
    const { page, errors } = await openPage(world.browser, world.empty.url + paths.aggregator[name], DESK);
    await told(page, EMPTY[name]);
    expect(await look(page, world.empty.url, `${name} empty`)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it.each(SOME_PAGES)('while the server is unreachable, and once it is back: %s', async (name) => {
    const { page, errors } = await openPage(world.browser, 'about:blank', { ...DESK, until: 'html' });
    await leaveAnswersOut(page);
    await page.route('**/graphql', (route) => route.abort());
    await page.goto(world.api.url + paths.aggregator[name]);
    await told(page, /The server does not answer/);
    expect(await look(page, world.api.url, `${name} away`)).toEqual([]);
    expect(errors.filter((error) => !EXPECTED.test(error))).toEqual([]);
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await told(page, TELLS[name]);
    await page.close();
  });

  /** The sign-in form, once it has been checked. */
  let signIn: string | undefined;

  it.each(SOME_PAGES)('when a key is needed, and once it is entered: %s', async (name) => {
    const { page, errors } = await openPage(world.browser, world.locked.url + paths.aggregator[name], DESK);
    await told(page, /This server requires an API key/);
    expect(await page.getByLabel('API key').count()).toBe(1);
    // The sign-in form is the same for every path, and the frame around it is checked with data.
    const shown = await page.getByRole('alert').innerHTML();
    if (shown !== signIn) expect(await look(page, world.locked.url, `${name} locked`)).toEqual([]);
    signIn = shown;
    await page.getByLabel('API key').fill('a-key-of-nobody-else');
    await page.keyboard.press('Enter');
    await told(page, /This server refuses that API key/);
    await page.getByLabel('API key').fill(KEY);
    await page.keyboard.press('Enter');
    await told(page, TELLS[name]);
    expect(errors.filter((error) => !EXPECTED.test(error))).toEqual([]);
    await page.close();
  });
});
