import { EventStore } from '../../src/event-log/event-store.js';
import { insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

/** Rows of alpha as sent: the second with a number beyond 2^53, the third not JSON. */
const SENT = [
  '{"id":"submission_100_1","height":100,"blob_size":350,"timestamp":"2026-11-21T05:00:01.123456789+02:00","gas_price":0.0400,"status_code":"Success","num_blobs":2,"blob_ids":["aa","bb"]}',
  '{"status_code":"Odd","extra":9007199254740993123,"note":"\\u00e9"}',
  'no json at all',
];

describe('submissions over GraphQL', () => {
  const api = useApi();

  const list = async (filter: string, order = 'OBSERVED_ASC'): Promise<string[]> => {
    const { submissions } = await api.read<{ submissions: { nodes: { id: string }[] } }>(
      `{ submissions(filter: {${filter}}, order: ${order}) { nodes { id } } }`,
    );
    return submissions.nodes.map((node) => node.id);
  };

  beforeAll(async () => {
    const { dataSource } = api;
    const store = new EventStore(dataSource);
    const looks = { first: 1, last: 1, count: 1, longestGapMs: 0 };
    await store.append({
      stream: 'alpha/submissions',
      expectedVersion: 0n,
      events: [
        {
          type: 'SubmissionsObserved',
          observedAt: 1,
          body: {
            looks,
            overlap: 0,
            anchored: true,
            source: 0,
            ring: 0,
            newestFirst: true,
            ringSize: 100,
            firstSequence: 1,
            rows: SENT,
          },
        },
      ],
    });
    await insertRows(dataSource, 'lineage', [
      { lineage_key: 1, chain_id: 'lab-1', n: 1, from_position: 1 },
      { lineage_key: 2, chain_id: 'odd~chain%', n: 3, from_position: 1 },
    ]);
    await insertRows(dataSource, 'namespace', [
      { namespace_key: 1, namespace: '0'.repeat(56) + 'ab' },
      { namespace_key: 2, namespace: '0'.repeat(56) + 'cd' },
    ]);
    await insertRows(dataSource, 'node', [
      nodeRow(1, 'alpha', { chain_id: 'lab-1', lineage_key: 1 }),
      nodeRow(2, 'beta', { chain_id: 'later-1' }),
      nodeRow(3, 'gamma'),
    ]);
    await insertRows(dataSource, 'node_chain', [
      { node_key: 2, from_position: 0, chain_id: 'late-1', told: true },
      { node_key: 2, from_position: 6, chain_id: 'later-1', told: true },
    ]);
    await insertRows(dataSource, 'submission', [
      submissionRow(1, { from_position: 1, gas_price: '0.0400', namespace_key: 1 }),
      submissionRow(2, {
        from_position: 1,
        status: 10,
        kind: 3,
        evidence: 0,
        status_text: 'Odd',
        namespace_key: 2,
      }),
      submissionRow(3, {
        from_position: 1,
        status: 10,
        kind: 3,
        evidence: 0,
        unreadable: true,
        blob_count: null,
        size_bytes: null,
        da_height: null,
        occurred_at: null,
      }),
      submissionRow(4, {
        from_position: 7,
        status: 6,
        kind: 1,
        evidence: 0,
        da_height: null,
        message: 'Websocket 100%_closed',
      }),
      submissionRow(1, {
        node_key: 2,
        lineage_key: null,
        from_position: 5,
        kind: 2,
        evidence: 2,
        da_height: 200,
      }),
      submissionRow(1, {
        node_key: 3,
        lineage_key: null,
        from_position: 6,
        evidence: 3,
        da_height: 300,
        time_at: '2026-11-21T04:00:00Z',
        wild_time: true,
      }),
      submissionRow(null, { node_key: null, ring: null, from_position: 7, evidence: 4, da_height: 90 }),
      submissionRow(null, { node_key: null, ring: null, from_position: 7, evidence: 4, da_height: 91 }),
      submissionRow(null, {
        node_key: null,
        ring: null,
        lineage_key: 2,
        from_position: 7,
        evidence: 4,
        kind: 1,
        da_height: 90,
      }),
      submissionRow(null, {
        node_key: null,
        ring: null,
        from_position: 6,
        to_position: 7,
        evidence: 4,
        da_height: 92,
      }),
      // A reconstructed row, until three attempts turned out to be possible.
      submissionRow(null, {
        node_key: null,
        ring: null,
        from_position: 6,
        to_position: 8,
        kind: 1,
        evidence: 4,
        da_height: 93,
      }),
      submissionRow(null, {
        node_key: null,
        ring: null,
        from_position: 8,
        kind: 1,
        evidence: 5,
        da_height: 93,
        possible: 3,
      }),
    ]);
  });

  const ALL = [
    'alpha~1',
    'alpha~2',
    'alpha~3',
    'beta~1',
    'gamma~1',
    'alpha~4',
    'lab-1~1~HEADER~90',
    'lab-1~1~HEADER~91',
    'odd%7Echain%25~3~DATA~90',
    'lab-1~1~DATA~93',
  ];

  it('come in the order of observation, the newest first by default', async () => {
    expect(await list('')).toEqual(ALL);
    const { submissions } = await api.read<{ submissions: { nodes: { id: string }[] } }>(
      '{ submissions { nodes { id } } }',
    );
    expect(submissions.nodes.map((node) => node.id)).toEqual(ALL.toReversed());
  });

  it('come by the time under which they count, ties in the order of observation', async () => {
    const ascending = await list('', 'OCCURRED_ASC');
    expect(ascending.slice(0, 6)).toEqual([
      'lab-1~1~HEADER~90',
      'lab-1~1~HEADER~91',
      'odd%7Echain%25~3~DATA~90',
      'lab-1~1~DATA~93',
      'alpha~1',
      'beta~1',
    ]);
    expect(ascending.at(-1)).toBe('gamma~1');
    expect(await list('', 'OCCURRED_DESC')).toEqual(ascending.toReversed());
  });

  it('show everything that is known about a row, exactly', async () => {
    const { submission } = await api.read<{ submission: unknown }>(`{ submission(id: "alpha~1") {
      id chain node { id } sequence ring status statusText message namespace kind daHeight blobCount blobIds sizeBytes
      gasPrice occurredAt occurredAtText observedAt evidence blocks raw } }`);
    expect(submission).toEqual({
      id: 'alpha~1',
      chain: 'lab-1',
      node: { id: 'alpha' },
      sequence: '1',
      ring: 0,
      status: 'SUCCESS',
      statusText: 'Success',
      message: null,
      namespace: '0'.repeat(56) + 'ab',
      kind: 'HEADER',
      daHeight: '100',
      blobCount: 2,
      blobIds: ['aa', 'bb'],
      sizeBytes: '350',
      gasPrice: '0.0400',
      occurredAt: '2026-11-21T03:00:01.123456Z',
      occurredAtText: '2026-11-21T05:00:01.123456789+02:00',
      observedAt: '2026-11-21T03:00:01.123456Z',
      evidence: 'CONFIRMED',
      blocks: [],
      raw: JSON.parse(SENT[0] ?? '') as unknown,
    });
  });

  it('give the row back as it was sent, every digit of it', async () => {
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query:
          '{ submissions(filter: {nodes: ["alpha"]}, order: OBSERVED_ASC) { nodes { raw statusText } } }',
      }),
    });
    const body = await response.text();
    expect(body).toContain(`{"raw":${SENT[1]},"statusText":"Odd"}`);
    expect(body).toContain('{"raw":"no json at all","statusText":null}');
    expect(body).toContain('{"raw":null,"statusText":null}');
  });

  it('have no node, row or sequence if only the blocks prove them', async () => {
    const { submission } = await api.read<{ submission: unknown }>(
      '{ submission(id: "odd%7Echain%25~3~DATA~90") { chain node { id } sequence ring raw blobIds statusText evidence kind daHeight } }',
    );
    expect(submission).toEqual({
      chain: 'odd~chain%',
      node: null,
      sequence: null,
      ring: null,
      raw: null,
      blobIds: [],
      statusText: null,
      evidence: 'RECONSTRUCTED',
      kind: 'DATA',
      daHeight: '90',
    });
  });

  it('report how many attempts are possible where blobs are undecided', async () => {
    const { submission, shown, search, updated } = await api.read<Record<string, unknown>>(`{
      submission(id: "lab-1~1~DATA~93") { id node { id } sequence raw status evidence possibleAttempts withdrawn }
      shown: submission(id: "lab-1~1~HEADER~90") { possibleAttempts }
      search(text: "lab-1~1~DATA~93") { id }
      updated: submissions(filter: {updatedSince: "2000-01-01T00:00:00Z", kinds: [DATA], chains: ["lab-1"]}) {
        nodes { id evidence withdrawn } } }`);
    const id = 'lab-1~1~DATA~93';
    const none = { node: null, sequence: null, raw: null };
    expect(submission).toEqual({
      id,
      ...none,
      status: 'SUCCESS',
      evidence: 'UNDECIDED',
      possibleAttempts: 3,
      withdrawn: false,
    });
    expect(shown).toEqual({ possibleAttempts: null });
    expect(search).toEqual([{ id }]);
    // The replaced row is not listed next to it as withdrawn under the same id.
    expect(updated).toEqual({
      nodes: [
        { id: 'alpha~4', evidence: 'OBSERVED', withdrawn: false },
        { id, evidence: 'UNDECIDED', withdrawn: false },
      ],
    });
  });

  it.each(['alpha~99', 'delta~1', 'lab-1~1~HEADER~92', 'nonsense', 'alpha~-1', 'a~b~c~d~e', ''])(
    'are null for the id %p, which names no submission',
    async (id) => {
      expect(await api.read('query ($id: ID!) { submission(id: $id) { id } }', { id })).toEqual({
        submission: null,
      });
    },
  );

  it.each([
    ['nodes: ["alpha"]', ['alpha~1', 'alpha~2', 'alpha~3', 'alpha~4']],
    ['nodes: ["beta", "gamma"]', ['beta~1', 'gamma~1']],
    ['nodes: []', []],
    ['nodes: null', ALL],
    [
      'chains: ["lab-1"]',
      [
        'alpha~1',
        'alpha~2',
        'alpha~3',
        'alpha~4',
        'lab-1~1~HEADER~90',
        'lab-1~1~HEADER~91',
        'lab-1~1~DATA~93',
      ],
    ],
    ['chains: ["late-1"]', ['beta~1']],
    ['chains: ["later-1"]', []],
    ['chains: ["lab-1"], nodes: ["alpha"], statuses: [ERROR]', ['alpha~4']],
    ['statuses: [OTHER]', ['alpha~2', 'alpha~3']],
    ['statuses: []', []],
    ['statuses: [ERROR, ERROR, OTHER, SUCCESS], evidence: [OBSERVED]', ['alpha~2', 'alpha~3', 'alpha~4']],
    ['statuses: [ERROR, OTHER], evidence: []', []],
    ['kinds: [MIXED, UNKNOWN]', ['alpha~2', 'alpha~3', 'beta~1']],
    [`namespaces: ["0X${'0'.repeat(56)}AB"]`, ['alpha~1']],
    ['namespaces: ["ab"]', []],
    ['evidence: [RECONSTRUCTED]', ['lab-1~1~HEADER~90', 'lab-1~1~HEADER~91', 'odd%7Echain%25~3~DATA~90']],
    ['evidence: [UNDECIDED]', ['lab-1~1~DATA~93']],
    ['evidence: [UNREFERENCED, UNCONFIRMED]', ['beta~1', 'gamma~1']],
    [
      'daHeightFrom: "91", daHeightTo: 200',
      ['alpha~1', 'alpha~2', 'beta~1', 'lab-1~1~HEADER~91', 'lab-1~1~DATA~93'],
    ],
    ['message: "websocket"', ['alpha~4']],
    ['message: "100%_C"', ['alpha~4']],
    ['message: "100_"', []],
    ['message: ""', ALL],
    ['from: "2026-11-21T03:00:02.123456Z", to: "2026-11-21T03:00:04.123456Z"', ['alpha~2', 'alpha~3']],
    [
      'from: "2026-11-21T05:00:02.123456001+02:00", to: "2026-11-21T03:00:04.123456001Z"',
      ['alpha~3', 'alpha~4'],
    ],
    ['from: "2026-11-21T03:30:00Z"', ['gamma~1']],
    ['nodes: ["alpha"], to: "2026-11-21T03:00:02Z"', ['alpha~1']],
  ])('are filtered by %s', async (filter, expected) => {
    expect(await list(filter)).toEqual(expected);
  });

  it.each([
    'from: "2026-11-21T03:00:00"',
    'from: "2026-02-30T00:00:00Z"',
    'from: "yesterday"',
    'daHeightFrom: "1.5"',
    'daHeightFrom: "9223372036854775808"',
    'statuses: [NONE]',
    'message: 5',
    'nodes: [null]',
  ])('are refused with BAD_USER_INPUT for the filter %s', async (filter) => {
    expect(await api.codesOf(`{ submissions(filter: {${filter}}) { nodes { id } } }`)).toEqual([
      'BAD_USER_INPUT',
    ]);
  });

  it('cannot be filtered by text with U+0000, and say so', async () => {
    const query = 'query ($text: String) { submissions(filter: {message: $text}) { nodes { id } } }';
    expect(await api.codesOf(query, { text: 'a\u0000b' })).toEqual(['BAD_USER_INPUT']);
  });
});
