import { createHash } from 'node:crypto';
import type { Browser } from 'playwright-core';
import type { PublicPart } from '../../src/domain/public-parts.js';
import { findBarriers, openPage, startBrowser } from '../support/browser.js';
import { ManualClock } from '../support/manual-clock.js';
import { healthRow, insertRows, nodeRow } from '../support/read-model-rows.js';
import { sendRaw } from '../support/raw-http.js';
import { StatisticsWorld } from '../support/statistics-world.js';
import { useApi } from '../support/use-database.js';

const KEY = 'a-key-of-16-chars';
const NOW = Date.UTC(2026, 10, 21, 18);
const clock = new ManualClock(NOW);

/** A time, in hours before now. */
const ago = (hours: number): string => new Date(NOW - hours * 3_600_000).toISOString();

/** A name and words that must never be shown. */
const NODE = 'secret-sequencer';
const MESSAGE = `</title><script>alert("leak")</script> http://10.0.0.7:26658 ${NODE} broke`;
const SECRETS = /secret-sequencer|follower|leak|10\.0\.0\.7|internal\.example|broke|acme|utia/i;

const CHAIN = 'lab <1> & "co"';
const PATH = `/public/${encodeURIComponent(CHAIN)}`;
const parts = (...names: PublicPart[]) => new Set(names);

describe('the public page of a chain', () => {
  const api = useApi({
    clock,
    keys: [KEY],
    publicChains: new Map([
      [CHAIN, parts('state', 'uptime', 'incidents', 'finality')],
      ['only-state', parts('state')],
      ['only-incidents', parts('incidents')],
      ['only-finality', parts('finality')],
    ]),
  });

  beforeAll(async () => {
    const seen = { last_seen_at: ago(0), list_looked_at: ago(0) };
    const secret = { url: 'http://user:acme@internal.example:7331', ...seen };
    await insertRows(api.dataSource, 'node', [
      nodeRow(1, NODE, { chain_id: CHAIN, aggregator: true, ...secret }),
      nodeRow(2, 'follower', { chain_id: CHAIN, aggregator: false, ...secret }),
      nodeRow(3, 'removed', { chain_id: CHAIN, ...secret, retired: true }),
      nodeRow(4, 'included', { chain_id: 'only-finality', lineage_key: 3, head: 3, ...secret }),
      nodeRow(6, 'calm', { chain_id: 'only-state', ...secret }),
      nodeRow(5, 'hidden', { chain_id: 'hidden-chain', ...secret }),
    ]);
    const line = (
      node: string,
      component: string,
      from: number,
      to: number | null,
      state: string,
      rule: string,
    ) =>
      healthRow(component, ago(from), to === null ? null : ago(to), state, { node, rule, reason: MESSAGE });
    await insertRows(api.dataSource, 'health_interval', [
      line(NODE, 'DA', 100, 60, 'HEALTHY', 'healthy'),
      line(NODE, 'DA', 60, 58, 'CRITICAL', 'failing'),
      line(NODE, 'DA', 58, 1, 'HEALTHY', 'healthy'),
      line(NODE, 'DA', 1, null, 'WARNING', 'failures'),
      line(NODE, 'NODE', 100, null, 'HEALTHY', 'healthy'),
      line(NODE, 'DA_NODE', 100, null, 'CRITICAL', 'funds-low'),
      line('follower', 'DA', 90, null, 'UNKNOWN', 'not-aggregator'),
      line('follower', 'NODE', 90, null, 'HEALTHY', 'healthy'),
      line('removed', 'NODE', 90, null, 'UNKNOWN', 'retired'),
      line('calm', 'DA', 5, null, 'HEALTHY', 'healthy'),
      line('calm', 'NODE', 5, null, 'HEALTHY', 'healthy'),
    ]);
    await addInclusion();
  });

  /** Three blocks, 50, 40 and 30 s before the success that carried them, and one that was never included. */
  async function addInclusion(): Promise<void> {
    const world = new StatisticsWorld(api.dataSource);
    await insertRows(api.dataSource, 'lineage', [
      { lineage_key: 3, chain_id: 'only-finality', n: 1, from_position: 1 },
    ]);
    const walk = {
      node_key: 4,
      lineage_key: 3,
      first_height: 1,
      last_height: 4,
      from_start: true,
      frontier: 3,
    };
    await insertRows(api.dataSource, 'inclusion_walk', [
      { ...walk, gaps: '{}', header_holes: '{}', data_holes: '{}' },
    ]);
    const before = (seconds: number): string => new Date(NOW - 7_200_000 - seconds * 1_000).toISOString();
    const included = { lineage_key: 3, header_da_height: 100, data_da_height: 100 };
    await world.addBlocks(4, 1, [before(50), before(40), before(30)], included);
    await world.addBlocks(4, 4, [before(20)], { lineage_key: 3 });
    const carrier = { blob_count: 3, size_bytes: 900, block_from: 1, block_to: 3, da_height: 100 };
    await world.addSubmissions(4, [before(0)], carrier);
    await world.rollUp();
  }

  const get = (path: string, init: RequestInit = {}) => fetch(`${api.url}${path}`, init);
  const read = async (path: string): Promise<string> => (await get(path)).text();

  it('is off by default: a chain that is not shown answers as a chain that does not exist', async () => {
    for (const end of ['', '/badge.svg', '/incidents.atom']) {
      const [hidden, missing] = await Promise.all(
        ['hidden-chain', 'no-such-chain'].map(async (chain) => {
          const { status, headers, text } = await get(`/public/${chain}${end}`).then(async (response) => ({
            status: response.status,
            headers: [...response.headers].filter(([name]) => name !== 'date'),
            text: await response.text(),
          }));
          return { status, headers, text };
        }),
      );
      expect(hidden).toEqual(missing);
      expect(hidden?.status).toBe(404);
      expect(Object.fromEntries(hidden?.headers ?? [])).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
      });
    }
  });

  it('needs no key and no name of this computer, while everything else still needs a key', async () => {
    for (const [end, type] of [
      ['', 'text/html'],
      ['/badge.svg', 'image/svg+xml'],
      ['/incidents.atom', 'application/atom+xml'],
    ]) {
      const { status, headers } = await get(`${PATH}${end}`);
      expect([end, status, headers.get('content-type')]).toEqual([end, 200, `${type}; charset=utf-8`]);
      expect((await get(`${PATH}${end}`, { method: 'HEAD' })).status).toBe(200);
      expect((await get(`${PATH}${end}`, { method: 'POST' })).status).toBe(404);
    }
    expect((await api.ask('{ nodes { id } }')).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    expect((await get('/metrics')).status).toBe(401);
  });

  it('runs and loads nothing', async () => {
    const { headers } = await get(PATH);
    const html = await read(PATH);
    const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(html).not.toMatch(/<script|\son\w+=|src=|style=/);
  });

  it('names and quotes no node, in page, badge and feed', async () => {
    for (const end of ['', '/badge.svg', '/incidents.atom']) {
      const text = await read(`${PATH}${end}`);
      expect(text.length).toBeGreaterThan(300);
      expect(text).not.toMatch(SECRETS);
      expect(text).not.toContain('<1>');
    }
  });

  it('shows the state, the incidents and their length', async () => {
    const html = await read(PATH);
    expect(html).toContain(
      '<h1>lab &lt;1&gt; &amp; &quot;co&quot;</h1><span class="state degraded">degraded</span>',
    );
    expect(html).toContain(
      '<td>DA submissions fail</td><td><time datetime="2026-11-19T06:00:00Z">2026-11-19</time> 06:00</td><td>resolved after 2 h</td>',
    );
    expect(html).toContain(
      '<td>Many DA submissions fail</td><td><time datetime="2026-11-21T17:00:00Z">2026-11-21</time> 17:00</td><td>ongoing for 1 h</td>',
    );
    expect(html).not.toContain('DA account runs low');
    expect(html).toContain('Unknown: no block of the last 24 h is known to be included.');
  });

  it('shows a day without monitoring as unknown, and counts it neither as up nor as down', async () => {
    const html = await read(PATH);
    expect(html.match(/<g><title>/g)).toHaveLength(90);
    expect(html).toContain(
      '<g><title>2026-11-16: not monitored</title><rect class="blank" x="336" y="0.0" width="3" height="40.0"/></g>',
    );
    expect(html).toContain('<g><title>2026-11-17: 100 %, not monitored for 14 h</title>');
    // Two of 24 hours.
    expect(html).toContain('<tr><td>2026-11-19</td><td>91.66 %</td><td>2 h</td><td>none</td></tr>');
    expect(html).toContain('<tr><td>2026-11-17</td><td>100 %</td><td>none</td><td>14 h</td></tr>');
    expect(html).toContain('<p>Up 98 % of the monitored time in 90 days; 85 days not monitored</p>');
  });

  it('shows only what its owner names', async () => {
    const state = await read('/public/only-state');
    expect(state).toContain('<span class="state healthy">healthy</span>');
    expect(state).not.toMatch(/<h2>|incidents\.atom/);
    expect((await get('/public/only-state/incidents.atom')).status).toBe(404);
    expect(await read('/public/only-state/badge.svg')).toContain('<title>DA: healthy</title>');
    const incidents = await read('/public/only-incidents');
    expect(incidents).toContain('<p>None recorded in 90 days.</p>');
    expect(incidents).not.toMatch(/Uptime|Finality|class="state|badge\.svg/);
    expect((await get('/public/only-incidents/badge.svg')).status).toBe(404);
  });

  it('shows how long blocks of the last day took to be included', async () => {
    const html = await read('/public/only-finality');
    const times = [...html.matchAll(/<dt>(\w+)<\/dt><dd>([\d.]+) s<\/dd>/g)];
    expect(times.map(([, name]) => name)).toEqual(['p50', 'p90', 'p99']);
    const seconds = times.map(([, , text]) => Number(text));
    for (const [index, expected] of [40, 50, 50].entries())
      expect(Math.abs((seconds[index] ?? 0) / expected - 1)).toBeLessThan(0.01);
    expect(html).toContain('on the DA layer, since 2026-11-20 18:00.');
  });

  it('has a badge that pages of other origins may show', async () => {
    const { port } = new URL(api.url);
    // As a browser asks for it; `fetch` sets these headers itself.
    const show = (path: string) =>
      sendRaw(
        Number(port),
        `GET ${path} HTTP/1.1\r\nhost: da.example\r\nconnection: close\r\nsec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\nsec-fetch-dest: image\r\n\r\n`,
      );
    const { status, headers } = await show(`${PATH}/badge.svg`);
    expect([status, headers.get('cross-origin-resource-policy'), headers.get('cache-control')]).toEqual([
      200,
      'cross-origin',
      'public, max-age=60',
    ]);
    expect((await show(PATH)).status).toBe(403);
    const badge = await read(`${PATH}/badge.svg`);
    expect(badge).toContain('role="img" aria-label="DA: degraded"');
  });

  it('answers from memory for half a minute', async () => {
    expect(await read('/public/only-state/badge.svg')).toContain('DA: healthy');
    await api.dataSource.query(
      `UPDATE health_interval SET state = 'CRITICAL', rule = 'unreachable' WHERE node = 'calm'`,
    );
    await clock.advance(29_000);
    expect(await read('/public/only-state/badge.svg')).toContain('DA: healthy');
    await clock.advance(2_000);
    expect(await read('/public/only-state/badge.svg')).toContain('DA: down');
  });

  describe('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser();
    });
    afterAll(() => browser?.close());

    it('has no barriers and no errors, in both themes, and fits a narrow screen', async () => {
      for (const [width, colours] of [
        [360, 'light'],
        [1280, 'dark'],
      ] as const) {
        const { page, errors } = await openPage(browser, `${api.url}${PATH}`, {
          width,
          colours,
          until: 'footer',
        });
        expect(await findBarriers(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        if (process.env['SHOTS'])
          await page.screenshot({ path: `${process.env['SHOTS']}/${width}-${colours}.png`, fullPage: true });
        expect(errors).toEqual([]);
        await page.close();
      }
    });

    it('has a feed that is valid Atom, with an entry for each incident', async () => {
      const { page } = await openPage(browser, `${api.url}${PATH}`, {
        width: 360,
        colours: 'light',
        until: 'footer',
      });
      const feed = await read(`${PATH}/incidents.atom`);
      const parsed = await page.evaluate<{ ids: string[] }>(`(() => {
        const xml = new DOMParser().parseFromString(${JSON.stringify(feed)}, 'application/xml');
        const textsOf = (name) =>
          [...xml.getElementsByTagNameNS('http://www.w3.org/2005/Atom', name)].map((each) => each.textContent);
        return {
          root: xml.documentElement.nodeName,
          errors: xml.querySelectorAll('parsererror').length,
          ids: textsOf('id'),
          titles: textsOf('title'),
          updated: textsOf('updated'),
          entries: textsOf('entry').length,
        };
      })()`);
      await page.close();
      expect(parsed).toMatchObject({
        root: 'feed',
        errors: 0,
        titles: [
          `Incidents of ${CHAIN}`,
          'Ongoing: Many DA submissions fail',
          'Resolved: DA submissions fail',
        ],
        updated: ['2026-11-21T17:00:00.000Z', '2026-11-21T17:00:00.000Z', '2026-11-19T08:00:00.000Z'],
        entries: 2,
      });
      expect(new Set(parsed.ids).size).toBe(3);
      for (const id of parsed.ids) expect(id).toMatch(/^urn:uuid:[\da-f-]{36}$/);
      expect(await read(`${PATH}/incidents.atom`)).toBe(feed);
    });
  });
});

describe('a note on an incident, and its acknowledgement', () => {
  const publicChains = new Map([['lab', parts('state', 'uptime', 'incidents', 'finality')]]);
  const api = useApi({ clock: new ManualClock(NOW), publicChains });

  it('are never shown', async () => {
    const seen = { last_seen_at: ago(0), list_looked_at: ago(0) };
    await insertRows(api.dataSource, 'node', [
      nodeRow(1, NODE, { chain_id: 'lab', aggregator: true, ...seen }),
    ]);
    await insertRows(api.dataSource, 'health_interval', [
      healthRow('DA', ago(2), null, 'CRITICAL', { node: NODE, rule: 'failing', reason: MESSAGE }),
    ]);
    const id = `Incident:${NODE}:DA:${Date.parse(ago(2))}000000`;
    const variables = { id, note: 'acme broke it', by: 'acme' };
    for (const mutation of ['addIncidentNote', 'acknowledgeIncident']) {
      const text = `mutation ($id: ID!, $note: String!, $by: String!) { ${mutation}(id: $id, note: $note, by: $by) { by } }`;
      expect((await api.ask(text, variables)).data).toEqual({ [mutation]: { by: 'acme' } });
    }
    for (const end of ['', '/badge.svg', '/incidents.atom']) {
      const text = await (await fetch(`${api.url}/public/lab${end}`)).text();
      expect(text).toMatch(/DA submissions fail|aria-label="DA: down"/);
      expect(text).not.toMatch(SECRETS);
    }
  });
});
