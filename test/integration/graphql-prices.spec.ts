import { EventStore } from '../../src/event-log/event-store.js';
import { PricesCatchUp } from '../../src/statistics/prices/prices-catch-up.js';
import { ManualClock } from '../support/manual-clock.js';
import { StatisticsWorld } from '../support/statistics-world.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

const KEY = 'a-key-of-16-chars';
const FIELDS = `subject effectiveFrom gasPrice gasPriceFloat fiatUnit fiatPerTia gasPerShareByte gasPerBlob gasPerBlobFloat fixedGas signer source
  recordedAt replacedAt`;

interface Price {
  readonly subject: string;
  readonly effectiveFrom: string | null;
  readonly gasPrice: string | null;
  readonly recordedAt: string;
  readonly replacedAt: string | null;
}

describe('prices over GraphQL', () => {
  const api = useApi({ keys: [KEY], clock: new ManualClock() });

  const ask = async <Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> => {
    const { data, errors } = await api.ask<Data>(query, variables, { 'x-api-key': KEY });
    if (errors || data === null) throw new Error(JSON.stringify(errors));
    return data;
  };
  const refusal = async (query: string, variables: Record<string, unknown> = {}): Promise<string> => {
    const { errors } = await api.ask(query, variables, { 'x-api-key': KEY });
    return errors?.map(({ extensions, message }) => `${extensions.code} ${message}`).join() ?? '';
  };
  const set = async (entries: string, more = ''): Promise<Price[]> => {
    const query = `mutation { setPrices(chain: "a", entries: ${entries} ${more}) { ${FIELDS} } }`;
    return (await ask<{ setPrices: Price[] }>(query)).setPrices;
  };

  beforeAll(async () => {
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'one', { chain_id: 'a' })]);
  });

  it('are set, shown and corrected; the book can be read as it was', async () => {
    const book = await set(
      '[{ gasPrice: "0.002" }, { from: "2026-01-01T00:00:00Z", gasPrice: 0.004, fiat: { unit: "EUR", perTia: 1.5 }, gasPerBlob: 900 }]',
      ', source: "finance"',
    );
    expect(book).toMatchObject([
      { subject: 'FIAT_RATE', effectiveFrom: '2026-01-01T00:00:00.000Z', fiatUnit: 'EUR', fiatPerTia: '1.5' },
      {
        subject: 'GAS_PRICE',
        effectiveFrom: null,
        gasPrice: '0.002',
        gasPriceFloat: 0.002,
        source: 'finance',
        replacedAt: null,
      },
      { subject: 'GAS_PRICE', effectiveFrom: '2026-01-01T00:00:00.000Z', gasPrice: '0.004' },
      {
        subject: 'GAS_SCHEDULE',
        gasPerShareByte: '8',
        gasPerBlob: '900',
        gasPerBlobFloat: 900,
        fixedGas: '75000',
        signer: false,
      },
    ]);
    const before = book[1]?.recordedAt ?? '';
    await set('[{ gasPrice: "0.003" }]', ', replace: true');
    const { now, then } = await ask<{ now: Price[]; then: Price[] }>(
      `query ($at: DateTime) { now: priceBook(chain: "a") { ${FIELDS} } then: priceBook(chain: "a", knownAt: $at) { ${FIELDS} } }`,
      { at: before },
    );
    expect(now[1]).toMatchObject({ gasPrice: '0.003', replacedAt: null });
    expect(then[1]).toMatchObject({ gasPrice: '0.002', replacedAt: now[1]?.recordedAt });
    expect(then).toHaveLength(4);
  });

  it('are not recorded again if the book has them', async () => {
    const [{ position }] = await api.dataSource.query('SELECT position FROM log_head');
    expect(await set('[{ gasPrice: "0.0030" }]')).toHaveLength(4);
    expect(await api.dataSource.query('SELECT position FROM log_head')).toEqual([{ position }]);
  });

  it.each([
    ['[{ gasPrice: "-1" }]', 'above 0'],
    ['[{ gasPrice: "0.1" }]', 'would change past prices'],
    ['[{ from: "2025-01-01T00:00:00Z", gasPrice: 1 }]', 'would change past prices'],
    [
      '[{ from: "2027-02-01T00:00:00Z", gasPrice: 1 }, { from: "2027-01-01T00:00:00Z", gasPrice: 1 }]',
      'must come before',
    ],
    [
      '[{ from: "2027-01-01T00:00:00Z", gasPrice: 1 }, { from: "2027-01-01T00:00:00Z", gasPrice: 2 }]',
      'given twice',
    ],
    ['[{ from: "2027-01-01T00:00:00Z", fiat: { unit: "euro", perTia: 1 } }]', 'not a currency'],
    ['[{ from: "2027-01-01T00:00:00Z", fixedGas: -1 }]', 'whole number'],
    ['[{ from: "2027-01-01T00:00:00Z" }]', 'sets nothing'],
    ['[]', 'From 1 to 1000 entries'],
    ['[{ from: "2027-01-01T00:00:00Z", gasPrice: 1 }], source: ""', 'The source must be'],
  ])('are refused where they are %s', async (entries, problem) => {
    const answer = await refusal(`mutation { setPrices(chain: "a", entries: ${entries}) { subject } }`);
    expect(answer).toMatch(/^BAD_USER_INPUT /);
    expect(answer).toContain(problem);
    expect(
      (await ask<{ priceBook: unknown[] }>('{ priceBook(chain: "a") { subject } }')).priceBook,
    ).toHaveLength(4);
  });

  it('of an unknown chain are refused', async () => {
    expect(await refusal('{ priceBook(chain: "b") { subject } }')).toContain(
      'There is no chain "b". Did you mean a?',
    );
    expect(
      await refusal('mutation { setPrices(chain: "b", entries: [{ gasPrice: 1 }]) { subject } }'),
    ).toContain('There is no chain "b".');
  });

  it('and fees need a key, and never come by GET', async () => {
    const mutation = 'mutation { importFees(chain: "a", csv: "height,fee") { rows } }';
    const { errors } = await api.ask(mutation);
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    const response = await fetch(`${api.url}/graphql?query=${encodeURIComponent(mutation)}`, {
      headers: { 'x-api-key': KEY, 'x-mercurius-operation-name': 'x' },
    });
    expect(response.ok).toBe(false);
  });

  it('accept fees from a CSV, once', async () => {
    const query = `mutation ($csv: String!) { importFees(chain: "a", csv: $csv) {
      imported rows added corrected alreadyKnown faultCount faults { line problem } unmatchedCount
      unmatched { line daHeight namespace tx fee reason } ambiguousCount ambiguous { daHeight } } }`;
    const csv = 'height,fee\n5,761\n';
    const load = async (text: string) => (await ask<{ importFees: object }>(query, { csv: text })).importFees;
    expect(await load(csv)).toMatchObject({
      imported: true,
      rows: 1,
      added: 1,
      unmatchedCount: 1,
      unmatched: [{ line: 2, daHeight: '5', namespace: null, tx: null, fee: '761' }],
      ambiguousCount: 0,
    });
    const [imported] = await api.dataSource.query(
      "SELECT body ->> 'by' AS by FROM event WHERE type = 'FeesImported'",
    );
    expect(imported).toEqual({ by: 'settings' });
    expect(await load(csv)).toMatchObject({ added: 0, alreadyKnown: 1 });
    expect(await load('height,fee\n5,-1\n')).toMatchObject({
      imported: false,
      faults: [{ line: 2, problem: 'the fee "-1" is negative' }],
    });
    expect(await refusal(query, { csv: 'height\n5\n' })).toMatch(/^BAD_USER_INPUT .*no column for the fee/);
    expect(await refusal(query, { csv: `height,fee\n5,1,${'x'.repeat(90_000)}` })).toMatch(
      /^BAD_USER_INPUT .* the limit is 90000/,
    );
  });

  it('name who set them, and leave this open for events without a name', async () => {
    const { priceBook } = await ask<{ priceBook: object[] }>('{ priceBook(chain: "a") { by } }');
    expect(priceBook.map((price) => JSON.stringify(price))).toEqual(Array(4).fill('{"by":"settings"}'));
    await insertRows(api.dataSource, 'node', [nodeRow(2, 'two', { chain_id: 'older' })]);
    const value = { utia: '0.002' };
    const entry = { subject: 'GAS_PRICE', value, effectiveFrom: null } as const;
    const event = { type: 'PriceSet', observedAt: 1, body: { entries: [entry], source: 'x' } } as const;
    const store = api.app.get(EventStore, { strict: false });
    await store.append({ stream: 'older/operator', expectedVersion: 0n, events: [event] });
    await new PricesCatchUp(api.dataSource, store).run();
    expect(await ask('{ priceBook(chain: "older") { gasPrice by } }')).toEqual({
      priceBook: [{ gasPrice: '0.002', by: null }],
    });
  });
});

describe('prices over GraphQL that change what is reported', () => {
  const api = useApi({ clock: new ManualClock(Date.parse('2026-02-01T00:00:00Z')) });
  const set = (entry: string, more = ''): string =>
    `mutation { setPrices(chain: "plain-1", entries: [${entry}] ${more}) { gasPrice } }`;

  beforeAll(async () => {
    const world = new StatisticsWorld(api.dataSource);
    await world.addNodes();
    // A header blob each: 79,796 gas.
    await world.addSubmissions(4, ['2026-01-10T12:00:00Z', '2026-01-12T12:00:00Z', '2026-01-12T13:00:00Z']);
    await world.rollUp();
  });

  it('are refused with what they would change, until the caller confirms them', async () => {
    const past = '{ from: "2026-01-11T00:00:00Z", gasPrice: "0.004" }';
    const { errors } = await api.ask(set(past));
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(errors?.[0]?.message).toBe(
      'This changes reported figures: 1 day from 2026-01-12T00:00:00Z on. The fee of that time is unknown so far, and would become at least 640 utia. Nothing was recorded. To confirm, give `confirm: true`.',
    );
    expect(await api.read('{ priceBook(chain: "plain-1") { gasPrice } }')).toEqual({ priceBook: [] });
    expect(await api.read(set(past, ', confirm: true'))).toEqual({ setPrices: [{ gasPrice: '0.004' }] });
  });

  it('need no confirmation if they change nothing that is reported', async () => {
    const { setPrices } = await api.read<{ setPrices: unknown[] }>(
      set('{ from: "2026-03-01T00:00:00Z", gasPrice: "0.002" }'),
    );
    expect(setPrices).toHaveLength(2);
  });
});
