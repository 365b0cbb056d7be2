import type { DataSource } from 'typeorm';
import { readPostMortem } from '../../src/api/post-mortem/post-mortem-data.js';
import { toPostMortemHtml } from '../../src/api/post-mortem/post-mortem-html.js';
import { toPostMortemJson } from '../../src/api/post-mortem/post-mortem-json.js';
import { toPostMortemMarkdown } from '../../src/api/post-mortem/post-mortem-markdown.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { healthRow, insertRows, nodeRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

const START = Date.UTC(2026, 10, 21, 6);
const KEY = 'a-key-that-may-write-everything-here';
const at = (minute: number): string => new Date(START + minute * 60_000).toISOString();

/** Mutations that take the name of their author. */
const NAMED = [
  'mutation ($id: ID!, $by: String) { said: addIncidentNote(id: $id, note: "seen", by: $by) { by } }',
  'mutation ($id: ID!, $by: String) { said: acknowledgeIncident(id: $id, by: $by) { by } }',
  'mutation ($by: String) { said: silence(matcher: {}, until: "2030-01-01T00:00:00Z", by: $by) { by } }',
];

/** An incident of the DA component of `alpha`, which began at {@link START}. */
async function insertIncident(dataSource: DataSource): Promise<void> {
  const seen = at(20);
  await insertRows(dataSource, 'node', [
    nodeRow(1, 'alpha', { chain_id: 'lab-1', last_seen_at: seen, list_looked_at: seen }),
  ]);
  await insertRows(dataSource, 'health_interval', [
    healthRow('DA', at(0), at(2), 'CRITICAL', { rule: 'failing' }),
    healthRow('DA', at(2), null, 'HEALTHY'),
  ]);
}

describe('the acknowledgement of an incident', () => {
  const clock = new ManualClock(START + 30 * 60_000);
  const api = useApi({ clock, keys: [KEY] });
  const id = `Incident:alpha:DA:${START}000000`;
  const headers = { authorization: `Bearer ${KEY}` };
  const SAY =
    'mutation ($id: ID!, $note: String!) { acknowledgeIncident(id: $id, note: $note) { incidentId by note at position } }';

  const say = (note: string, incident = id, given: Record<string, string> = headers) =>
    api.ask<{ acknowledgeIncident: Record<string, unknown> }>(SAY, { id: incident, note }, given);
  const getAll = async (args = ''): Promise<{ note: string; by: string }[] | undefined> => {
    const answer = await api.ask<{ incident: { acknowledgements: { note: string; by: string }[] } | null }>(
      `{ incident(id: "${id}"${args}) { acknowledgements { note by at } } }`,
      {},
      headers,
    );
    return answer.data?.incident?.acknowledgements;
  };

  beforeAll(() => insertIncident(api.dataSource));

  it('is an event with the name of the key, which the incident reports from then on', async () => {
    const before = new Date().toISOString();
    expect(await getAll()).toEqual([]);
    const { data } = await say('looking at the balance');
    const by = data?.acknowledgeIncident['by'];
    expect(data?.acknowledgeIncident).toEqual({
      incidentId: id,
      by: expect.stringMatching(/^settings/) as string,
      note: 'looking at the balance',
      at: at(30),
      position: expect.stringMatching(/^[1-9]/) as string,
    });
    await clock.advance(60_000);
    expect((await say('funded', id)).data?.acknowledgeIncident).toMatchObject({ note: 'funded', at: at(31) });
    expect(await getAll()).toEqual([
      { note: 'looking at the balance', by, at: at(30) },
      { note: 'funded', by, at: at(31) },
    ]);
    expect((await getAll(`, asOf: "${at(30.5)}"`))?.map(({ note }) => note)).toEqual([
      'looking at the balance',
    ]);
    // Nothing was recorded by then.
    expect((await getAll(`, knownAt: "${before}"`)) ?? []).toEqual([]);
    const events = await new EventStore(api.dataSource).readStreamBack('alpha/incidents', [], 10);
    expect(events.map(({ type, body }) => [type, body])).toEqual([
      ['IncidentAcknowledged', { incident: id, note: 'funded', by }],
      ['IncidentAcknowledged', { incident: id, note: 'looking at the balance', by }],
    ]);
  });

  it('appears with name and time in the list, in SQL, in files and in the post-mortem', async () => {
    const { data } = await api.ask<{ incidents: { nodes: Record<string, unknown>[] }; postMortem: string }>(
      `{ incidents { nodes { acknowledgedBy acknowledgedAt } } postMortem(incident: "${id}") }`,
      {},
      headers,
    );
    const [first] = (await getAll()) ?? [];
    const by = first?.by ?? '';
    expect(data?.incidents.nodes).toEqual([{ acknowledgedBy: by, acknowledgedAt: at(30) }]);
    const rows = await api.dataSource.query<unknown[]>(
      `SELECT acknowledged_by AS by, acknowledged_at = '${at(30)}'::timestamptz AS "isThen" FROM reporting.incidents`,
    );
    expect(rows).toEqual([{ by, isThen: true }]);
    const file = await (await fetch(`${api.url}/export/incidents.ndjson`, { headers })).text();
    expect(JSON.parse(file)).toMatchObject({
      acknowledged_by: by,
      acknowledged_at: at(30).replace('.000Z', '.000000Z'),
    });
    const past = await (await fetch(`${api.url}/export/incidents.ndjson?asOf=${at(30)}`, { headers })).text();
    expect(JSON.parse(past)).toMatchObject({ acknowledged_by: null, acknowledged_at: null });
    expect(data?.postMortem).toContain(
      `Acknowledged by ${by} at 2026-11-21T06:30:00Z: looking at the balance`,
    );
    expect(data?.postMortem).toMatch(new RegExp(`\\| .*06:31.* \\| \\d+ \\| Acknowledged by ${by} \\|`));
  });

  it('is refused without a key, for an unknown incident, and for a note as long as a book', async () => {
    const codeOf = async (answer: ReturnType<typeof say>): Promise<unknown> =>
      (await answer).errors?.[0]?.extensions.code;
    expect(await codeOf(say('', id, {}))).toBe('UNAUTHENTICATED');
    expect(await codeOf(say('', 'Incident:beta:DA:1'))).toBe('NOT_FOUND');
    expect(await codeOf(say('x'.repeat(1_001)))).toBe('BAD_USER_INPUT');
    expect((await getAll())?.length).toBe(2);
  });

  it('has no typed name next to a key', async () => {
    for (const mutation of NAMED) {
      const { errors } = await api.ask(mutation, { id, by: 'Ada' }, headers);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
      expect(errors?.[0]?.message).toContain('the name of the key is recorded');
    }
    expect((await getAll())?.length).toBe(2);
  });

  it('is included in the count if there are more than are shown', async () => {
    const store = new EventStore(api.dataSource);
    const { version } = await store.loadStream('alpha/incidents');
    const event = { type: 'IncidentAcknowledged', observedAt: Date.parse(at(40)) } as const;
    const body = { incident: id, note: 'again', by: 'a robot' };
    const events = Array.from({ length: 99 }, () => ({ ...event, body }));
    await store.append({ stream: 'alpha/incidents', expectedVersion: version, events });
    const countedIn = async (args: string) =>
      (
        await api.ask<{ incident: { acknowledgementCount: number; acknowledgements: unknown[] } }>(
          `{ incident(id: "${id}"${args}) { acknowledgementCount acknowledgements { by } } }`,
          {},
          headers,
        )
      ).data?.incident;
    const all = await countedIn('');
    expect([all?.acknowledgementCount, all?.acknowledgements.length]).toEqual([101, 100]);
    const before = await countedIn(`, asOf: "${at(40)}"`);
    expect([before?.acknowledgementCount, before?.acknowledgements.length]).toEqual([2, 2]);
    const { data } = await api.ask<{ postMortem: string }>(`{ postMortem(incident: "${id}") }`, {}, headers);
    expect(data?.postMortem).toContain('Acknowledged 101 times; the first 100 are listed.');
  });
});

describe('a note on an incident', () => {
  const clock = new ManualClock(START + 30 * 60_000);
  const api = useApi({ clock, keys: [KEY] });
  const id = `Incident:alpha:DA:${START}000000`;
  const headers = { authorization: `Bearer ${KEY}` };
  const HOSTILE = '<img src=x onerror=alert(1)> | [link](http://evil.example) @all';

  const write = (note: string, incident = id, given: Record<string, string> = headers) =>
    api.ask<{ addIncidentNote: Record<string, unknown> }>(
      'mutation ($id: ID!, $note: String!) { addIncidentNote(id: $id, note: $note) { incidentId by note at position } }',
      { id: incident, note },
      given,
    );
  const read = async (args = ''): Promise<{ noteCount: number; notes: { note: string }[] } | null> => {
    const { data } = await api.ask<{ incident: { noteCount: number; notes: { note: string }[] } | null }>(
      `{ incident(id: "${id}"${args}) { noteCount notes { note by at } acknowledgedBy acknowledgementCount } }`,
      {},
      headers,
    );
    return data?.incident ?? null;
  };

  beforeAll(() => insertIncident(api.dataSource));

  it('is an event with the name of the key, and acknowledges nothing', async () => {
    const { data } = await write(HOSTILE);
    const by = expect.stringMatching(/^settings/) as string;
    const position = expect.stringMatching(/^[1-9]/) as string;
    expect(data?.addIncidentNote).toEqual({ incidentId: id, by, note: HOSTILE, at: at(30), position });
    await clock.advance(60_000);
    await write('funded');
    const notes = [
      { note: HOSTILE, by, at: at(30) },
      { note: 'funded', by, at: at(31) },
    ];
    const unseen = { acknowledgedBy: null, acknowledgementCount: 0 };
    expect(await read()).toEqual({ noteCount: 2, notes, ...unseen });
    expect(await read(`, asOf: "${at(30.5)}"`)).toEqual({
      noteCount: 1,
      notes: notes.slice(0, 1),
      ...unseen,
    });
    const events = await new EventStore(api.dataSource).readStreamBack('alpha/incidents', [], 10);
    expect(events.map(({ type, body }) => [type, body])).toEqual([
      ['IncidentNoted', { incident: id, note: 'funded', by }],
      ['IncidentNoted', { incident: id, note: HOSTILE, by }],
    ]);
  });

  it('is plain text in the timeline of each format of the post-mortem', async () => {
    const nowUs = BigInt(clock.now()) * 1_000n;
    const postMortem = await readPostMortem(api.dataSource, { id }, nowUs);
    const markdown = toPostMortemMarkdown(postMortem);
    expect(markdown).toMatch(
      /\| .*06:30.* \| \d+ \| Note by settings\S*: \\<img src=x onerror=alert\(1\)\\> \\\| \\\[link\\\]\(http\\:/,
    );
    const html = toPostMortemHtml(postMortem);
    expect(html).toContain(': &lt;img src=x onerror=alert(1)&gt; | [link](http://evil.example) @all</td>');
    expect(html).not.toMatch(/<img|<script|href/);
    expect(JSON.parse(toPostMortemJson(postMortem))).toMatchObject({
      noteCount: 2,
      notes: [{ note: HOSTILE, at: at(30) }, { note: 'funded' }],
    });
  });

  it('is refused without a key, for an unknown incident, and for a text that cannot be shown', async () => {
    const codeOf = async (answer: ReturnType<typeof write>): Promise<unknown> =>
      (await answer).errors?.[0]?.extensions.code;
    expect(await codeOf(write('seen', id, {}))).toBe('UNAUTHENTICATED');
    expect(await codeOf(write('seen', 'Incident:beta:DA:1'))).toBe('NOT_FOUND');
    for (const note of ['', ' ', 'x'.repeat(1_001), 'a\nb', 'a\u202eb', 'a\u0007'])
      expect([note, await codeOf(write(note))]).toEqual([note, 'BAD_USER_INPUT']);
    expect((await read())?.noteCount).toBe(2);
  });
});

describe('an acknowledgement, a note and a silence where no key is needed', () => {
  const api = useApi({ clock: new ManualClock(START + 30 * 60_000) });
  const id = `Incident:alpha:DA:${START}000000`;

  beforeAll(() => insertIncident(api.dataSource));

  it.each([
    [' Ada ßĂ 🦊 ', 'Ada ßĂ 🦊'],
    [null, 'loopback'],
  ])('have the typed name of their author: %p', async (by, recorded) => {
    for (const mutation of NAMED)
      expect((await api.ask(mutation, { id, by })).data).toEqual({ said: { by: recorded } });
  });

  it.each(['', ' ', 'x'.repeat(61), 'a\nb', 'a\u202eb', 'Loopback', 'settings-2', 'command line'])(
    'are refused for a name that cannot be shown or means another author: %p',
    async (by) => {
      for (const mutation of NAMED) {
        const { errors } = await api.ask(mutation, { id, by });
        expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
      }
    },
  );
});
