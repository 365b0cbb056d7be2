import { setTimeout as sleep } from 'node:timers/promises';
import { LiveFeed } from '../../src/api/live/live-feed.js';
import { ManualClock } from '../support/manual-clock.js';
import { TableLock } from '../support/table-lock.js';
import { waitFor } from '../support/service-process.js';
import { SmallLog } from '../support/small-log.js';
import { appendLog } from '../support/append-log.js';
import { LiveClient } from '../support/live-client.js';
import { useApi } from '../support/use-database.js';

const QUERY = '{ daNodes { id } }';
const JSON_TYPE = { 'content-type': 'application/json' };
/** Longer than a query may have begun before another one that joins it. */
const LATER_MS = 80;
/** How often changes are read and announced. */
const ANNOUNCED_EVERY_MS = 750;

describe('equal queries at the same time', () => {
  const clock = new ManualClock();
  const api = useApi({ clock });
  let lock: TableLock;

  beforeAll(() => appendLog(api.dataSource, new SmallLog().register('alpha', 'lab-1').events));
  beforeEach(async () => {
    const { url = '' } = api.dataSource.options as { url?: string };
    lock = await TableLock.take(url, 'da_node');
  });
  afterEach(() => lock.release());

  const send = (body: object = { query: QUERY }, init: RequestInit = {}) =>
    fetch(`${api.url}/graphql`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body), ...init });
  const waiting = (count: number) =>
    waitFor(`${count} statements`, async () =>
      (await lock.findWaiting()).length >= count ? true : undefined,
    );

  // First, while the clock stands at the beginning: changes are read at its multiples of that interval.
  it('are not joined once a change was announced to subscribers', async () => {
    const client = new LiveClient(api.url);
    client.subscribe('healthChanged { nodeId }');
    const feed = api.app.get(LiveFeed, { strict: false });
    await waitFor('the subscription', () => feed.readyCount === 1 || undefined);
    try {
      await clock.advance(ANNOUNCED_EVERY_MS - 20);
      const asked = [send()];
      await waiting(1);
      // Both queries are within the time in which they would be joined.
      await clock.advance(20);
      await sleep(100);
      asked.push(send());
      await waiting(2);
      await lock.release();
      for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200);
    } finally {
      await client.close();
    }
  });

  it('run once, and each gets the answer', async () => {
    const asked = Array.from({ length: 6 }, () => send());
    await waiting(1);
    await sleep(100);
    expect(await lock.findWaiting()).toHaveLength(1);
    await lock.release();
    const answers = await Promise.all(asked);
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ data: { daNodes: [] } });
    for (const answer of answers)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'application/json; charset=utf-8',
      ]);
  });

  it('run again where the client of the first one leaves', async () => {
    const leaving = new AbortController();
    const first = send({ query: QUERY }, { signal: leaving.signal }).catch(() => 'left');
    const second = send();
    await waiting(1);
    leaving.abort();
    expect(await first).toBe('left');
    await waiting(1);
    await lock.release();
    expect(await (await second).json()).toMatchObject({ data: { daNodes: [] } });
  });

  it('are not joined to one that began earlier, has other variables or another form, or is from before a change', async () => {
    const asked = [send()];
    await waiting(1);
    await clock.advance(LATER_MS);
    asked.push(send(), send({ query: QUERY, variables: { other: 1 } }));
    await waiting(3);
    asked.push(
      send({ query: QUERY }, { headers: { ...JSON_TYPE, accept: 'application/graphql-response+json' } }),
    );
    await waiting(4);
    const query = `${QUERY} #`;
    asked.push(send({ query }));
    await waiting(5);
    await send({
      query: 'mutation { setPrices(chain: "lab-1", entries: [{gasPrice: "0.004"}], confirm: true) { id } }',
    });
    asked.push(send({ query }));
    await waiting(6);
    await lock.release();
    for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200);
  });
});
