import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { nodeWarning } from '../../src/platform/node-release.js';
import { walkBiJourney } from '../support/bi-journey.js';
import { blocksOf, textsOf } from '../support/page-blocks.js';
import { isRunnable, linesOf, unusedExceptions } from '../support/page-lines.js';
import { itHasProgram, itHasPython } from '../support/programs.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 180_000;
/** Pages whose commands are run at the same time: a command waits about as much as it computes. */
const READERS = 3;
const AGGREGATORS = ['alpha', 'beta'];
const NODES = [...AGGREGATORS, 'alpha-follower'];

const SUBMISSIONS = `query ($id: ID!, $after: String) {
  submissions(filter: { nodes: [$id] }, order: OBSERVED_ASC, first: 500, after: $after) {
    nodes { sequence raw } pageInfo { hasNextPage endCursor }
  }
}`;

const BLOCKS = `query ($id: ID!, $after: String) {
  blocks(filter: { nodes: [$id] }, order: HEIGHT_ASC, first: 1000, after: $after) {
    nodes { height hash lineage } pageInfo { hasNextPage endCursor }
  }
}`;

const LOSSES = `query ($id: ID!) {
  losses(filter: { nodes: [$id] }) { nodes { kind afterSequence explanation open } }
}`;

interface SubmissionRow {
  readonly sequence: string;
  readonly raw: unknown;
}

interface BlockRow {
  readonly height: string;
  readonly hash: string;
  readonly lineage: string;
}

interface NodeRecord {
  readonly submissions: readonly SubmissionRow[];
  readonly blocks: readonly BlockRow[];
}

const NOTHING: NodeRecord = { submissions: [], blocks: [] };

interface Counts {
  readonly id: string;
  readonly submissionCount: string;
  readonly blockCount: string;
}

const COUNTS = '{ nodes { id submissionCount blockCount } }';

interface RecordedLoss {
  readonly kind: string;
  readonly afterSequence: string;
  readonly explanation: string;
  readonly open: boolean;
}

interface Overview {
  readonly nodes: readonly { id: string; blockCount: string; retired: boolean }[];
  readonly successes: { readonly nodes: readonly { node: { id: string } | null }[] };
  readonly failures: { readonly nodes: readonly { node: { id: string } }[] };
  readonly alpha: readonly unknown[];
  readonly beta: readonly unknown[];
  readonly follower: readonly unknown[];
}

const OVERVIEW = `{
  nodes { id blockCount retired }
  successes: submissions(filter: { chains: ["demo-alpha", "demo-beta"], statuses: [SUCCESS] }, first: 1000) { nodes { node { id } } }
  failures: submissions(filter: { chains: ["demo-alpha", "demo-beta"], statuses: [ERROR] }, first: 10) { nodes { node { id } } }
  alpha: healthHistory(node: "alpha") { state }
  beta: healthHistory(node: "beta") { state }
  follower: healthHistory(node: "alpha-follower", component: NODE) { state }
}`;

const PAGES = [
  'README.md',
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];

/** Fragments of queries that are not run. */
const NOT_ASKED = [
  '0x…', // a placeholder for a hash that is not known in advance
  'mutation', // changes the record that the other queries read
  'alertRules', // the demo notifies nobody
  'celestia1…', // a placeholder for an account
];

interface Question {
  readonly text: string;
  /** The answer on the page, which may leave out members of an object; undefined if the page shows no answer. */
  readonly answer: object | undefined;
}

function questionsOf(page: string): Question[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, text }, index) => {
    if (language !== 'graphql' || NOT_ASKED.some((part) => text.includes(part))) return [];
    const below = blocks[index + 1];
    return [{ text, answer: below?.language === 'json' ? (JSON.parse(below.text) as object) : undefined }];
  });
}

/** Whether an answer has values other than times and page information. */
function says(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return answer !== null;
  return Object.entries(answer).some(([name, value]) => !['time', 'pageInfo'].includes(name) && says(value));
}

interface Figures {
  readonly statistics: readonly { attempts: string | null }[];
  readonly costReport: readonly { fiatMin: string | null }[];
}

interface MadeUp {
  readonly nodes: readonly { id: string; retired: boolean; submissionCount: string }[];
  readonly incidents: {
    readonly nodes: readonly { nodeId: string; severity: string; rule: string; open: boolean }[];
  };
  readonly reconstructed: { readonly nodes: readonly unknown[] };
  readonly first: readonly { rule: string }[];
  readonly second: readonly { rule: string }[];
}

const FIGURES = `{
  statistics(filter: { chains: ["made-up-year"] }, bucket: MONTH) { attempts }
  costReport(filter: { chains: ["made-up-year"] }, bucket: MONTH) { fiatMin }
}`;

const MADE_UP = `{
  nodes { id retired submissionCount }
  incidents(filter: {}, first: 200) { nodes { nodeId severity rule open } }
  reconstructed: submissions(filter: { chains: ["made-up-year"], evidence: [RECONSTRUCTED] }) { nodes { id } }
  first: healthHistory(node: "made-up-a", component: NODE) { rule }
  second: healthHistory(node: "made-up-b", component: NODE) { rule }
}`;

describe('the demo', () => {
  const home = new ServiceHome();
  let demo: ServiceProcess;
  let before: Map<string, NodeRecord>;
  let made: MadeUp | undefined;

  const start = async (): Promise<void> => {
    demo = home.launch(['demo', '--port', '0', '--node-port', '0'], {
      ownGroup: true,
      env: { HINDSIGHT_LOG_LEVEL: 'warn' },
    });
    await demo.ready;
  };
  afterAll(() => home.clear(), PATIENCE_MS);

  it(
    'shows blocks, submissions that succeed and that fail, and health of three nodes within a minute',
    async () => {
      await start();
      const overview = await waitFor('everything to show', async () => {
        const found = await demo.graphql<Overview>(OVERVIEW);
        const watched = found.nodes.filter(({ retired }) => !retired);
        const hasBlocks = watched.length === 3 && watched.every(({ blockCount }) => blockCount !== '0');
        // On a busy machine the first poll may come after a list has lost rows: rows known from blocks only have no node.
        const succeeded = new Set(found.successes.nodes.flatMap(({ node }) => node?.id ?? []));
        const hasSubmissions = succeeded.size === 2 && found.failures.nodes.length > 0;
        const hasHealth = [found.alpha, found.beta, found.follower].every((history) => history.length > 0);
        return hasBlocks && hasSubmissions && hasHealth ? found : undefined;
      });
      const watched = overview.nodes.filter(({ retired }) => !retired);
      expect(watched.map(({ id }) => id).sort()).toEqual([...NODES].sort());
      expect(new Set(overview.failures.nodes.map(({ node }) => node.id))).toEqual(new Set(['beta']));
    },
    PATIENCE_MS,
  );

  it(
    'has thirteen sample months as well, of retired nodes, with every kind of event',
    async () => {
      // The query is small because it is repeated while the figures are computed.
      await waitFor('the figures of the made-up months', async () => {
        const { statistics, costReport } = await demo.graphql<Figures>(FIGURES);
        const isWhole = costReport.length >= 13 && costReport.every(({ fiatMin }) => Number(fiatMin) > 0);
        return isWhole && statistics.every(({ attempts }) => Number(attempts) > 0) ? true : undefined;
      });
      made = await demo.graphql<MadeUp>(MADE_UP);
      expect(made.nodes.filter(({ id }) => id.startsWith('made-up'))).toMatchObject([
        { id: 'made-up-a', retired: true, submissionCount: expect.stringMatching(/^\d{4}$/) as unknown },
        { id: 'made-up-b', retired: true, submissionCount: expect.stringMatching(/^\d{4}$/) as unknown },
      ]);
      const of = (node: string, severity: string) =>
        made?.incidents.nodes.filter((each) => each.nodeId === node && each.severity === severity);
      expect(of('made-up-b', 'CRITICAL')).toMatchObject([{ rule: 'frozen', open: false }]);
      expect(of('made-up-a', 'CRITICAL')).toMatchObject([
        { rule: 'failing', open: false },
        { rule: 'unreachable', open: false },
      ]);
      expect(made.incidents.nodes.filter(({ nodeId, open }) => nodeId.startsWith('made-up') && open)).toEqual(
        [],
      );
      expect(made.reconstructed.nodes.length).toBeGreaterThan(5);
      for (const line of [made.first, made.second])
        expect(line.slice(-2).map(({ rule }) => rule)).toEqual(['healthy', 'retired']);
    },
    PATIENCE_MS,
  );

  it(
    'has data for each query of the README and of the user pages',
    async () => {
      const questions = PAGES.flatMap(questionsOf);
      expect(questions.length).toBeGreaterThan(30);
      for (const { text, answer } of questions) {
        if (answer !== undefined) expect(await demo.graphql(text)).toMatchObject(answer);
        else
          await waitFor(`an answer to ${text}`, async () =>
            says(await demo.graphql(text)) ? true : undefined,
          );
      }
    },
    PATIENCE_MS,
  );

  it(
    'has rows for each SQL query of the pages, as the user that a command creates',
    async () => {
      const questions = PAGES.flatMap((page) => textsOf(page, 'sql')).filter((sql) =>
        sql.includes('reporting.'),
      );
      expect(questions.length).toBeGreaterThan(2);
      const { out } = await home.run(['sql-user', 'reader']);
      const client = new Client({ connectionString: /^URL +(\S+)/m.exec(out)?.[1] ?? '' });
      await client.connect();
      try {
        for (const sql of questions) expect((await client.query(sql)).rows.length).toBeGreaterThan(0);
      } finally {
        await client.end();
      }
    },
    PATIENCE_MS,
  );

  itHasProgram('curl');
  itHasProgram('python3');
  itHasPython('pandas');
  itHasPython('gql');
  it(
    'returns the table of docs/journey-bi.md by each of its programs',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'hindsight-journey-'));
      try {
        await walkBiJourney({ folder, url: demo.address });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    PATIENCE_MS,
  );

  itHasProgram('jq');
  it(
    'runs each command of the pages',
    async () => {
      expect(unusedExceptions(PAGES.flatMap(linesOf))).toEqual([]);
      const byPage = PAGES.map((page) => linesOf(page).filter(isRunnable));
      expect(byPage.flat().length).toBeGreaterThan(25);
      // Commands of one page follow each other, and several pages are read at a time.
      const left = byPage.values();
      await Promise.all(
        Array.from({ length: READERS }, async () => {
          for (const lines of left) await runLines(lines);
        }),
      );
    },
    PATIENCE_MS,
  );

  it('has data for the first query of the README, which is also the first tab of the query page', async () => {
    const readme = readFileSync('README.md', 'utf8');
    const [, first = ''] = /```graphql\n([^`]*)```/.exec(readme) ?? [];
    const { submissions } = await demo.graphql<{ submissions: { nodes: { statusText: string }[] } }>(first);
    expect(submissions.nodes).toContainEqual(expect.objectContaining({ statusText: 'Error' }));
    const examples = JSON.parse(readFileSync('src/dashboard/ide/examples.json', 'utf8')) as {
      query: string;
    }[];
    expect(examples[0]?.query).toBe(first.trimEnd());
  });

  it(
    'stops everything at Ctrl-C',
    async () => {
      const urls = [demo.address, ...(await getUrls())];
      before = await readRecords();
      expect(await demo.interrupt()).toBe(0);
      expect(home.getProcesses()).toEqual([]);
      for (const url of urls) await expect(fetch(`${url}/health/live`)).rejects.toThrow();
    },
    PATIENCE_MS,
  );

  it(
    "continues after a restart, with nothing doubled and the nodes' forgotten rows as a recorded gap",
    async () => {
      await start();
      await waitFor('new rows and blocks of every node', async () => {
        const { nodes } = await demo.graphql<{ nodes: Counts[] }>(COUNTS);
        return NODES.every((id) => hasGrown(nodes.find((node) => node.id === id))) || undefined;
      });
      for (const [id, { submissions, blocks }] of await readRecords()) {
        const past = before.get(id) ?? NOTHING;
        expect(submissions.slice(0, past.submissions.length)).toEqual(past.submissions);
        expect(submissions.map(({ sequence }) => sequence)).toEqual(countUp(submissions));
        expect(new Set(submissions.map(({ raw }) => JSON.stringify(raw))).size).toBe(submissions.length);
        expect(blocks.slice(0, past.blocks.length)).toEqual(past.blocks);
        expect(blocks.map(({ height }) => height)).toEqual(countUp(blocks));
        expect(new Set(blocks.map(({ lineage }) => lineage)).size).toBe(1);
      }
      const { nodes } = await demo.graphql<MadeUp>(MADE_UP);
      const isMadeUp = ({ id }: { id: string }): boolean => id.startsWith('made-up');
      expect(nodes.filter(isMadeUp)).toEqual(made?.nodes.filter(isMadeUp));
      for (const id of AGGREGATORS) {
        const known = before.get(id)?.submissions.length ?? 0;
        // The old list stays open until a second poll proves that the new one has replaced it.
        const behind = await waitFor('the old list to be given up', async () => {
          const { losses } = await demo.graphql<{ losses: { nodes: RecordedLoss[] } }>(LOSSES, { id });
          return losses.nodes.some(({ open }) => open)
            ? undefined
            : losses.nodes.filter(({ kind }) => kind !== 'BEFORE_START');
        });
        expect(behind).toMatchObject([{ kind: 'RESET', explanation: expect.stringMatching(/./) as unknown }]);
        expect(behind.every(({ afterSequence }) => Number(afterSequence) >= known)).toBe(true);
      }
    },
    PATIENCE_MS,
  );

  it(
    'stops again, and leaves a record that verification passes',
    async () => {
      expect(await demo.interrupt()).toBe(0);
      const lines = demo.log.split('\n').filter((line) => line !== '');
      const said = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
      expect(said).toEqual([nodeWarning()].filter((warning) => warning !== undefined));
      expect(await home.run(['verify'])).toMatchObject({ code: 0, error: '' });
      expect(home.getProcesses()).toEqual([]);
    },
    PATIENCE_MS,
  );

  /** Runs lines of a page in a folder of their own. */
  async function runLines(lines: readonly string[]): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-lines-'));
    try {
      for (const line of lines) {
        const here = line
          .replace(/^(?:hindsight|node dist\/main\.js)/, '$HINDSIGHT')
          .replace(' --data-dir .hindsight-demo', '')
          .replace(/^curl/, 'curl --fail')
          // There is no terminal for a confirmation.
          .replace(/ prices set .*/, '$& --yes')
          .replaceAll('http://127.0.0.1:4400', demo.address);
        const env = { HINDSIGHT_PORT: new URL(demo.address).port };
        const { code, out, error } = await home.runLine(`set -o pipefail; cd ${folder}; ${here}`, { env });
        expect({ line, code, error: code === 0 ? '' : error }).toEqual({ line, code: 0, error: '' });
        if (!/ > | --out/.test(line))
          expect({ line, out }).toEqual({ line, out: expect.stringMatching(/\S/) as unknown });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async function getUrls(): Promise<string[]> {
    const { nodes } = await demo.graphql<{ nodes: { url: string }[] }>('{ nodes { url } }');
    return nodes.map(({ url }) => url);
  }

  async function readRecords(): Promise<Map<string, NodeRecord>> {
    const records = new Map<string, NodeRecord>();
    for (const id of NODES) {
      records.set(id, {
        submissions: await demo.readAll<SubmissionRow>(SUBMISSIONS, { id }),
        blocks: await demo.readAll<BlockRow>(BLOCKS, { id }),
      });
    }
    return records;
  }

  function hasGrown(now: Counts | undefined): boolean {
    const past = before.get(now?.id ?? '') ?? NOTHING;
    const hasNewRows =
      Number(now?.submissionCount) > past.submissions.length || !AGGREGATORS.includes(now?.id ?? '');
    return hasNewRows && Number(now?.blockCount) > past.blocks.length;
  }
});

/** Row numbers as text, from 1. */
function countUp(rows: readonly unknown[]): string[] {
  return rows.map((_, index) => String(index + 1));
}
