import { appendLog } from '../support/append-log.js';
import { recordLog } from '../support/record-log.js';
import { loadTruth } from '../support/recording.js';
import { useApi } from '../support/use-database.js';

interface Hit {
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

interface Row {
  readonly id: string;
  readonly sequence: string;
  readonly sequenceFloat: number;
  readonly namespace: string;
  readonly status: string;
  readonly time: string;
  readonly cause: { readonly code: string; readonly title: string; readonly remedy: string } | null;
  readonly attemptsBefore: readonly { readonly sequence: string }[];
  readonly attemptsAfter: readonly { readonly sequence: string; readonly status: string }[];
  readonly previous: { readonly sequence: string } | null;
  readonly next: { readonly sequence: string } | null;
  readonly healthThen: { readonly state: string; readonly from: string; readonly to: string | null } | null;
  readonly claimThen: { readonly status: string; readonly observedAt: string } | null;
  readonly blocks: readonly string[];
  readonly blocksFloat: readonly number[];
}

const ROW = `id sequence sequenceFloat namespace status time cause { code title remedy } attemptsBefore { sequence }
  attemptsAfter { sequence status } previous { sequence } next { sequence } healthThen { state from to }
  claimThen { status observedAt } blocks blocksFloat`;

describe('the forensics of a recorded node', () => {
  const api = useApi();
  let rows: readonly Row[];

  beforeAll(async () => {
    await appendLog(api.dataSource, recordLog({ nodes: ['aggregator'] }));
    rows = (
      await api.read<{ submissions: { nodes: Row[] } }>(
        `{ submissions(filter: { nodes: ["aggregator"] }, order: OBSERVED_ASC, first: 1000) { nodes { ${ROW} } } }`,
      )
    ).submissions.nodes;
  });

  it('names the cause of every failure, and no cause for a success', () => {
    const known = new Set<string>();
    for (const { status, cause } of rows) {
      expect(cause === null).toBe(status === 'SUCCESS');
      if (cause) known.add(cause.code);
    }
    expect([...known].sort()).toEqual([
      'DA_CONNECTION_LOST',
      'IN_MEMPOOL_ALREADY',
      'OUT_OF_FUNDS',
      'SEQUENCE_MISMATCH',
      'TOO_BIG',
    ]);
  });

  it('shows the attempts before and after each attempt in its batch, as counted by hand', async () => {
    const { losses } = await api.read<{ losses: { nodes: { afterSequence: string }[] } }>(
      '{ losses(filter: { nodes: ["aggregator"] }, first: 1000) { nodes { afterSequence } } }',
    );
    const holes = new Set(losses.nodes.map(({ afterSequence }) => Number(afterSequence)));
    let longest = 0;
    for (const [index, row] of rows.entries()) {
      const walk = (step: 1 | -1): string[] => {
        const found: string[] = [];
        if (step === 1 && row.status === 'SUCCESS') return found;
        for (let at = index; found.length < 30; at += step) {
          const other = rows[at + step];
          const hole = step === 1 ? Number(rows[at]?.sequence) : Number(other?.sequence);
          if (other === undefined || holes.has(hole)) break;
          if (other.namespace !== row.namespace) continue;
          if (step === -1 && other.status === 'SUCCESS') break;
          found.push(other.sequence);
          if (other.status === 'SUCCESS') break;
        }
        return step === 1 ? found : found.reverse();
      };
      expect([row.sequence, row.attemptsBefore.map(({ sequence }) => sequence)]).toEqual([
        row.sequence,
        walk(-1),
      ]);
      expect([row.sequence, row.attemptsAfter.map(({ sequence }) => sequence)]).toEqual([
        row.sequence,
        walk(1),
      ]);
      longest = Math.max(longest, row.attemptsBefore.length);
    }
    expect(longest).toBe(30);
  });

  it('shows its neighbours, its blocks, the health and the claim at that moment', () => {
    for (const [index, row] of rows.entries()) {
      expect(row.previous?.sequence).toBe(rows[index - 1]?.sequence);
      expect(row.next?.sequence).toBe(rows[index + 1]?.sequence);
      expect(row.blocksFloat).toEqual(row.blocks.map(Number));
      expect(row.sequenceFloat).toBe(index + 1);
      const { healthThen, claimThen } = row;
      if (healthThen) {
        expect(healthThen.from <= row.time && (healthThen.to === null || healthThen.to > row.time)).toBe(
          true,
        );
      }
      if (claimThen) expect(claimThen.observedAt <= row.time).toBe(true);
    }
    expect(new Set(rows.map(({ healthThen }) => healthThen?.state)).size).toBe(4);
  });

  const search = async (text: string, first = 50): Promise<Hit[]> =>
    (
      await api.read<{ search: Hit[] }>(
        'query ($text: String!, $first: Int) { search(text: $text, first: $first) { kind id title url } }',
        { text, first },
      )
    ).search;
  const [blobId = ''] = loadTruth().flatMap(({ row }) => (row['blob_ids'] as string[] | undefined) ?? []);

  it('finds nodes and chains by a part of their names', async () => {
    expect((await search('AGGRE'))[0]).toMatchObject({
      kind: 'NODE',
      id: 'aggregator',
      title: 'Node aggregator of lab-1',
    });
    expect((await search('lab-1'))[0]).toEqual({
      kind: 'CHAIN',
      id: 'lab-1',
      title: 'Chain lab-1',
      url: expect.any(String),
    });
    expect(await search('  ')).toEqual([]);
    expect(await search('%_\\')).toEqual([]);
  });

  it('finds a submission by its id, by a blob of it, and by the commitment alone', async () => {
    const id = rows[3]?.id ?? '';
    expect(await search(id)).toMatchObject([{ kind: 'SUBMISSION', id }]);
    const byBlob = await search(blobId);
    expect(byBlob).toHaveLength(1);
    expect(await search(Buffer.from(blobId, 'hex').toString('base64'))).toEqual(byBlob);
    expect(await search(blobId.slice(16))).toEqual(byBlob);
    expect(await search(`0x${'0'.repeat(16)}${'1'.repeat(64)}`)).toEqual([]);
  });

  it('finds blocks by hash and height, and everything at a DA height', async () => {
    const { block } = await api.read<{ block: { hash: string; headerDaHeight: string } }>(
      '{ block(node: "aggregator", height: 7) { hash headerDaHeight } }',
    );
    const found = {
      kind: 'BLOCK',
      id: 'lab-1/7',
      title: 'Block 7 of lab-1',
      url: expect.any(String) as string,
    };
    expect(await search(block.hash)).toEqual([found]);
    expect(await search('7')).toContainEqual(found);
    const atHeight = await search(block.headerDaHeight);
    expect(atHeight).toContainEqual(found);
    expect(atHeight.some(({ kind }) => kind === 'SUBMISSION')).toBe(true);
    const knownAt = async (at: string, text = block.headerDaHeight) =>
      (
        await api.read<{ search: Hit[] }>(
          'query ($text: String!, $at: DateTime) { search(text: $text, knownAt: $at) { kind id title url } }',
          { text, at },
        )
      ).search;
    expect(await knownAt('2100-01-01T00:00:00Z')).toEqual(atHeight.slice(0, 12));
    expect(await knownAt('2000-01-01T00:00:00Z')).toEqual([]);
    const [late] = await api.dataSource.query<{ name: string; da: string; at: string; before: string }[]>(
      `SELECT 'Block ' || b.height || ' of lab-1' AS name, b.header_da_height::text AS da,
              to_char(i.recorded_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
              to_char(s.recorded_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS before
         FROM block b JOIN event s ON s.position = b.from_position JOIN event i ON i.position = b.header_included_position
        WHERE s.recorded_at < i.recorded_at ORDER BY b.height LIMIT 1`,
    );
    const namesAt = async (at = '') => (await knownAt(at, late?.da)).map(({ title }) => title);
    expect(await namesAt(late?.at)).toContain(late?.name);
    expect(await namesAt(late?.before)).not.toContain(late?.name);
  });

  it('finds incidents by their id, and the newest incidents by a part of their reason or node name', async () => {
    const { incidents } = await api.read<{ incidents: { nodes: { id: string; reason: string }[] } }>(
      '{ incidents(filter: { nodes: ["aggregator"] }) { nodes { id reason } } }',
    );
    const [newest] = incidents.nodes;
    const found = {
      kind: 'INCIDENT',
      id: newest?.id,
      url: `/incident/${encodeURIComponent(newest?.id ?? '')}`,
    };
    expect(await search(newest?.id ?? '')).toMatchObject([found]);
    const part = newest?.reason.slice(2, 20) ?? '';
    for (const [text, hits] of [
      ['aggrega', incidents.nodes],
      [part, incidents.nodes.filter(({ reason }) => reason.includes(part))],
    ] as const)
      expect((await search(text)).filter(({ kind }) => kind === 'INCIDENT')).toMatchObject(
        [found, ...hits.slice(1).map(({ id }) => ({ id }))].slice(0, 5),
      );
  });

  it('gives each result the address of its page', async () => {
    const id = rows[3]?.id ?? '';
    const hits = (await Promise.all(['aggregator', 'lab-1', id, '7'].map((text) => search(text)))).flat();
    const urlOf = (kind: string): string | undefined => hits.find((hit) => hit.kind === kind)?.url;
    expect(urlOf('NODE')).toBe('/node/aggregator');
    expect(urlOf('CHAIN')).toBe('/chain/lab-1');
    expect(urlOf('SUBMISSION')).toBe(`/submission/${encodeURIComponent(id)}`);
    expect(urlOf('BLOCK')).toBe('/block/lab-1/7');
    for (const { url } of hits) {
      const page = await fetch(api.url + url);
      expect([url, page.status, page.headers.get('content-type')]).toEqual([
        url,
        200,
        'text/html; charset=utf-8',
      ]);
    }
  });

  it.each([true, false])(
    'finds failed attempts by a part of their message, with an index: %s',
    async (hasIndex) => {
      const { dataSource } = api;
      const [index] = await dataSource.query<{ there: boolean }[]>(
        "SELECT to_regclass('submission_message_idx') IS NOT NULL AS there",
      );
      expect(index?.there).toBe(true);
      if (!hasIndex) await dataSource.query('DROP INDEX submission_message_idx');
      const failed = rows.filter(({ cause }) => cause?.code === 'SEQUENCE_MISMATCH');
      const hits = await search('SEQUENCE MISMATCH, expected');
      expect(hits.map(({ id }) => id)).toEqual(failed.map(({ id }) => id).reverse());
      expect(hits[0]?.title).toContain('account sequence mismatch');
      expect(await search('sequence mismatch', 2)).toEqual(hits.slice(0, 2));
      expect(await search('nothing says this')).toEqual([]);
    },
  );

  it('uses that index, and reads no other rows', async () => {
    await api.dataSource.query(
      `CREATE INDEX submission_message_idx ON submission USING gin (message hindsight_trigrams.gin_trgm_ops)
        WHERE message IS NOT NULL`,
    );
    const plan = await api.dataSource.transaction(async (manager) => {
      await manager.query('SET LOCAL enable_seqscan = off');
      // With so few rows any index of failed attempts would do.
      await manager.query('DROP INDEX submission_status_idx');
      return manager.query<Record<string, string>[]>(
        `EXPLAIN SELECT * FROM submission s WHERE s.status <> 0 AND s.message IS NOT NULL AND s.message ILIKE '%mismatch%' LIMIT 1000`,
      );
    });
    expect(JSON.stringify(plan)).toContain('submission_message_idx');
  });

  it('finds in a past what existed and was known then', async () => {
    const middle = rows[Math.floor(rows.length / 2)];
    const [early, late] = [rows[0], rows.at(-1)];
    const { block } = await api.read<{ block: { hash: string; time: string } }>(
      '{ block(node: "aggregator", height: 30) { hash time } }',
    );
    const findIn = async (text: string, travel: Readonly<Record<string, string>>): Promise<string[]> =>
      (
        await api.read<{ search: Hit[] }>(
          'query ($text: String!, $asOf: DateTime, $knownAt: DateTime) { search(text: $text, asOf: $asOf, knownAt: $knownAt) { kind id title url } }',
          { text, ...travel },
        )
      ).search.map(({ id }) => id);
    const asOf = middle?.time ?? '';
    expect(await findIn(early?.id ?? '', { asOf })).toEqual([early?.id]);
    expect(await findIn(late?.id ?? '', { asOf })).toEqual([]);
    expect(await findIn(block.hash, { asOf: block.time })).toEqual([]);
    expect(
      await findIn(block.hash, { asOf: new Date(Date.parse(block.time) + 1_000).toISOString() }),
    ).toEqual(['lab-1/30']);
    const failed = rows
      .filter(({ cause }) => cause?.code === 'SEQUENCE_MISMATCH')
      .map(({ id, time }) => ({ id, time }));
    const last = failed.at(-1);
    expect(await findIn('sequence mismatch, expected', { asOf: last?.time ?? '' })).toEqual(
      failed
        .filter(({ time }) => time < (last?.time ?? ''))
        .map(({ id }) => id)
        .reverse(),
    );
    const never = { knownAt: '2020-01-01T00:00:00Z' };
    for (const text of ['aggregator', 'lab-1', early?.id ?? '', blobId, block.hash, '7', 'sequence mismatch'])
      expect([text, await findIn(text, never)]).toEqual([text, []]);
  });

  it.each(['text: "a", first: 0', 'text: "a", first: 1001', `text: "${'a'.repeat(1_001)}"`])(
    'refuses to search with (%s)',
    async (args) => {
      expect(await api.codesOf(`{ search(${args}) { id } }`)).toEqual(['BAD_USER_INPUT']);
    },
  );
});
