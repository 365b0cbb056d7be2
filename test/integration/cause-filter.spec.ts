import { FAILURE_CODES, findCause, type FailureCode } from '../../src/domain/submissions/failure-cause.js';
import { MESSAGE_RULES } from '../../src/domain/submissions/failure-messages.js';
import { SUBMISSION_STATUSES } from '../../src/domain/submissions/submission-codes.js';
import { insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { seededRandom } from '../support/seeded-random.js';
import { loadTruth } from '../support/recording.js';
import { decodeSubmissionRow } from '../../src/domain/submissions/submission-row.js';
import { useApi } from '../support/use-database.js';

/** Pieces of messages as DA nodes write them, and texts that pass a pattern narrowly or not at all. */
const PIECES = [
  'DA layer submission failed with codespace sdk, Code 19',
  "Codespace: 'sdk', Code: 5, Message: ",
  'codespace: blob code 11138',
  'broadcast tx error: hash 50AF error: spendable balance 8utia is smaller than 320utia code: 5',
  'broadcast tx error: hash 50AF error: unauthorized code: 4\n',
  'broadcast tx error: x code: 32\r\nand more',
  'tx execution failed with code 1',
  'tx execution failed with code 0011: out of gas',
  'rejected by the node with execution code: 99999999999999999999',
  'does not allow to pay fees',
  'CODE 19 and then insufficient funds',
  'code 19\nand then insufficient funds',
  'not enough gas to pay for blobs',
  'rpc error: code = Unavailable desc = connection error',
  'insufficient minimum gas price',
  'account for signer celestia1x not found',
  'xaccount not found',
  'éaccount not found',
  'unmarshal the submit\u2028options',
  'unmarshal the submit options',
  'eof',
  'EOF',
  'éeof',
  'seofs',
  'http status 429',
  'status code: 401',
  'at height 503',
  "method 'blob.Submit' not found",
  'blob at\nsome height not found',
  'header: given height is from the future',
  'deadline',
  'timed-out',
  'TıMEOUT',
  'PANIC',
  'context cancelled',
  'websocket',
  'transaction with hash \u00a0 not found',
  'something nobody has seen',
  '🦊 %_\\',
];

/** The texts that patterns name literally, so that each rule is tried. */
const LITERALS = [...MESSAGE_RULES.before, ...MESSAGE_RULES.words].flatMap(([pattern]) =>
  pattern.source
    .split('|')
    .map((part) => part.replace(/\\b|[()?*+^$[\]\\]/g, '').trim())
    .filter((part) => part !== ''),
);

describe('the filter by causes', () => {
  const api = useApi();
  const cases: {
    id: string;
    status: (typeof SUBMISSION_STATUSES)[number];
    message: string | null;
    code: FailureCode | undefined;
  }[] = [];

  beforeAll(async () => {
    const random = seededRandom(11);
    const pick = (): string => PIECES[Math.floor(random() * PIECES.length)] ?? '';
    const messages: (string | null)[] = [
      null,
      '',
      ...PIECES,
      ...LITERALS,
      ...LITERALS.map((text) => text.toUpperCase()),
      ...Array.from(
        { length: 300 },
        () => `${pick()}${[': ', ' ', '\n'][Math.floor(random() * 3)]}${pick()}`,
      ),
      ...loadTruth().map(({ row }) => decodeSubmissionRow(JSON.stringify(row)).message),
    ];
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha', { chain_id: 'lab-1' })]);
    const rows = messages.flatMap((message) =>
      (message === null ? SUBMISSION_STATUSES : (['ERROR', 'OTHER', 'NOT_FOUND', 'TOO_BIG'] as const)).map(
        (status) => {
          const sequence = cases.length + 1;
          cases.push({ id: `alpha/${sequence}`, status, message, code: findCause(status, message)?.code });
          const code = SUBMISSION_STATUSES.indexOf(status);
          return submissionRow(sequence, { status: code, message, digest: sequence });
        },
      ),
    );
    for (let at = 0; at < rows.length; at += 500)
      await insertRows(api.dataSource, 'submission', rows.slice(at, at + 500));
  });

  /** The causes of the rows of a filter. */
  async function read(filter: string): Promise<string[]> {
    const found: string[] = [];
    let after: string | null = null;
    for (;;) {
      const { submissions }: { submissions: Page } = await api.read<{ submissions: Page }>(
        `query ($after: String) { submissions(filter: ${filter}, order: OBSERVED_ASC, first: 1000, after: $after) {
           nodes { sequence cause { code } } pageInfo { hasNextPage endCursor } } }`,
        { after },
      );
      for (const { sequence, cause } of submissions.nodes) found.push(`alpha/${sequence} ${cause?.code}`);
      if (!submissions.pageInfo.hasNextPage) return found;
      after = submissions.pageInfo.endCursor;
    }
  }
  interface Page {
    readonly nodes: readonly {
      readonly sequence: string;
      readonly cause: { readonly code: string } | null;
    }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  }
  const expected = (...codes: FailureCode[]): string[] =>
    cases.flatMap(({ id, code }) => (code !== undefined && codes.includes(code) ? [`${id} ${code}`] : []));

  it.each(FAILURE_CODES)('finds exactly the rows with a cause: %s', async (code) => {
    expect(expected(code).length).toBeGreaterThan(0);
    expect(await read(`{ causes: [${code}] }`)).toEqual(expected(code));
  });

  it('takes several causes, next to statuses and other conditions', async () => {
    expect(await read('{ causes: [TOO_BIG, OUT_OF_FUNDS], nodes: ["alpha"] }')).toEqual(
      expected('TOO_BIG', 'OUT_OF_FUNDS'),
    );
    const inError = cases.filter(({ code, status }) => code === 'TOO_BIG' && status === 'ERROR');
    expect(inError).toHaveLength(22);
    expect(await read('{ causes: [TOO_BIG], statuses: [ERROR, SUCCESS] }')).toEqual(
      inError.map(({ id }) => `${id} TOO_BIG`),
    );
    expect(await read('{ causes: [] }')).toEqual([]);
    expect(await read('{ causes: [TOO_BIG], statuses: [SUCCESS] }')).toEqual([]);
    const spendable = cases.filter(
      ({ code, message }) => code === 'OUT_OF_FUNDS' && message?.toLowerCase().includes('spendable'),
    );
    expect(spendable).not.toEqual([]);
    expect(await read('{ causes: [OUT_OF_FUNDS], message: "spendable" }')).toEqual(
      spendable.map(({ id }) => `${id} OUT_OF_FUNDS`),
    );
    expect(await api.codesOf('{ submissions(filter: { causes: [NOPE] }) { nodes { id } } }')).toEqual([
      'BAD_USER_INPUT',
    ]);
  });

  it('filters files, too', async () => {
    const url = `${api.url}/export/submissions.ndjson?columns=sequence&causes=`;
    const rows = (await (await fetch(`${url}OUT_OF_FUNDS,DA_BUSY`)).text()).trim().split('\n');
    expect(rows).toHaveLength(expected('OUT_OF_FUNDS', 'DA_BUSY').length);
    expect((await fetch(`${url}NOPE`)).status).toBe(400);
  });
});
