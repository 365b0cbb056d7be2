import { ManualClock } from '../support/manual-clock.js';
import { useApi } from '../support/use-database.js';

const KEY = 'a-key-of-16-chars';
const START = Date.UTC(2026, 10, 21, 6);
const FIELDS = 'id rules nodes chains from until note by';

type Silence = Readonly<Record<string, unknown>> & { readonly id: string };

describe('silences over GraphQL', () => {
  const clock = new ManualClock(START);
  const api = useApi({ keys: [KEY], clock });

  const ask = async <Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> => {
    const { data, errors } = await api.ask<Data>(query, variables, { 'x-api-key': KEY });
    if (errors || data === null) throw new Error(JSON.stringify(errors));
    return data;
  };
  const silence = async (matcher: string, until: number, note = ''): Promise<Silence> =>
    (
      await ask<{ silence: Silence }>(
        `mutation ($note: String!) { silence(matcher: ${matcher}, until: "${new Date(until).toISOString()}", note: $note) { ${FIELDS} } }`,
        { note },
      )
    ).silence;
  const held = async (): Promise<Silence[]> =>
    (await ask<{ silences: Silence[] }>(`{ silences { ${FIELDS} } }`)).silences;

  it('need a key, are shown with their author, are found by their id, and can be lifted', async () => {
    const added = await silence('{ chains: ["prod-*"] }', START + 60_000, 'we move');
    expect(added).toMatchObject({
      rules: null,
      nodes: null,
      chains: ['prod-*'],
      from: '2026-11-21T06:00:00.000Z',
      until: '2026-11-21T06:01:00.000Z',
      note: 'we move',
      by: 'settings',
    });
    expect(await held()).toEqual([added]);
    const { object } = await ask<{ object: unknown }>(
      `query ($id: ID!) { object(id: $id) { ... on Silence { note } } }`,
      { id: added.id },
    );
    expect(object).toEqual({ note: 'we move' });
    const lift = `mutation ($id: ID!) { liftSilence(id: $id) { id } }`;
    expect(await ask(lift, { id: added.id })).toEqual({ liftSilence: { id: added.id } });
    expect(await held()).toEqual([]);
    await expect(ask(lift, { id: added.id })).rejects.toThrow('NOT_FOUND');
  });

  it('end by themselves', async () => {
    await silence('{}', START + 60_000);
    await clock.advance(59_999);
    expect(await held()).toHaveLength(1);
    await clock.advance(1);
    expect(await held()).toEqual([]);
  });

  it.each([
    ['a time that is over', '{}', START, ''],
    ['a long note', '{}', START + 1e9, 'x'.repeat(501)],
    ['a long pattern', `{ nodes: ["${'x'.repeat(201)}"] }`, START + 1e9, ''],
  ])('are refused for %s', async (_, matcher, until, note) => {
    await expect(silence(matcher, until, note)).rejects.toThrow('BAD_USER_INPUT');
  });

  it('cannot be added without a key', async () => {
    const { errors } = await api.ask(
      'mutation { silence(matcher: {}, until: "2030-01-01T00:00:00Z") { id } }',
      {},
    );
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });
});
