import { insertRows, nodeRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

const CROWD = 60;

describe('sixty imports of fees at once', () => {
  const api = useApi();

  beforeAll(async () => {
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'one', { chain_id: 'a' })]);
  });

  const importFee = async (height: number): Promise<string> => {
    const csv = `da_height,fee\\n${height},${height}`;
    const { data, errors } = await api.ask<{ importFees: { added: number } }>(
      `mutation { importFees(chain: "a", csv: "${csv}", source: "a test") { added } }`,
    );
    if (data) return `added ${data.importFees.added}`;
    const told = errors?.[0]?.extensions as { code: string; retryAfter?: number } | undefined;
    return `${told?.code}, again in ${told?.retryAfter}`;
  };

  it('run one after the other or are asked to come again, and take nothing from others', async () => {
    const over = new AbortController();
    const readiness: number[] = [];
    const watching = (async () => {
      while (!over.signal.aborted) readiness.push((await fetch(`${api.url}/health/ready`)).status);
    })();
    const answers = await Promise.all(Array.from({ length: CROWD }, (_, n) => importFee(n + 1)));
    over.abort();
    await watching;
    const done = answers.filter((answer) => answer === 'added 1');
    const refused = answers.filter((answer) => answer !== 'added 1');
    expect(new Set(refused)).toEqual(new Set(['RATE_LIMITED, again in 5']));
    // The import that runs first, and those that wait in line.
    expect(done.length).toBeGreaterThan(10);
    expect(new Set(readiness)).toEqual(new Set([200]));
    const fees = await api.dataSource.query('SELECT FROM imported_fee');
    expect(fees).toHaveLength(done.length);
    // Clients that come again are let in.
    expect(await importFee(1_000)).toBe('added 1');
  });
});
