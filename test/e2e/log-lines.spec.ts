import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 180_000;

interface Line {
  readonly msg: string;
  readonly node?: string;
  readonly chain?: string;
  readonly [field: string]: unknown;
}

describe('what a service writes into its log', () => {
  const home = new ServiceHome();
  let node: Devnode;
  let service: ServiceProcess;

  const lines = (msg: string): Line[] =>
    service.log
      .split('\n')
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text) as Line)
      .filter((line) => line.msg === msg);
  const waitForLine = (msg: string, component?: string): Promise<Line> =>
    waitFor(`the line '${msg}'`, () =>
      Promise.resolve(lines(msg).find((line) => component === undefined || line['component'] === component)),
    );

  beforeAll(async () => {
    node = await startDevnode({ chainId: 'logged-1', blockTimeMs: 200, daBlockTimeMs: 400 });
    service = await home.start(`alpha=${node.url}`);
  }, PATIENCE_MS);
  afterAll(async () => {
    await node.stop();
    await home.clear();
  }, PATIENCE_MS);

  it('is one line for all migrations of a first start', () => {
    expect(lines('migrated')).toEqual([]);
    expect(lines('the database is brought to this version')).toMatchObject([
      { level: 'info', migrations: expect.any(Number) as number },
    ]);
  });

  it(
    'names node and chain where the DA layer fails and when it is well again',
    async () => {
      await waitForLine('list of submissions');
      expect(lines('list of submissions')).toMatchObject([{ node: 'alpha', state: 'AVAILABLE' }]);
      expect(lines('CRITICAL')).toEqual([]);
      node.faults.begin('down');
      expect(await waitForLine('CRITICAL', 'DA')).toMatchObject({
        node: 'alpha',
        chain: 'logged-1',
        state: 'CRITICAL',
        rule: expect.any(String) as string,
        reason: expect.stringMatching(/./) as string,
        since: expect.stringMatching(/^20\d\d-.*Z$/) as string,
      });
      node.faults.end('down');
      expect(await waitForLine('recovered from CRITICAL', 'DA')).toMatchObject({
        node: 'alpha',
        chain: 'logged-1',
      });
      expect(lines('CRITICAL').filter(({ component }) => component === 'DA')).toHaveLength(1);
    },
    PATIENCE_MS,
  );

  it(
    'names node and chain where the list has a hole',
    async () => {
      node.burst(200);
      expect(await waitForLine('a hole: rows of the list may never have been seen')).toMatchObject({
        node: 'alpha',
        chain: 'logged-1',
        found: 'SubmissionWindowLost',
        minLost: expect.any(Number) as number,
      });
    },
    PATIENCE_MS,
  );

  it(
    'names node and chain where the node is gone, and when it is there again',
    async () => {
      await node.stop();
      expect(await waitForLine('CRITICAL', 'NODE')).toMatchObject({ node: 'alpha', chain: 'logged-1' });
      const state = { node: 'alpha', chain: 'logged-1', state: 'UNREACHABLE' };
      expect(lines('list of submissions').at(-1)).toMatchObject(state);
      await node.start();
      expect(await waitForLine('recovered from CRITICAL', 'NODE')).toMatchObject({
        node: 'alpha',
        chain: 'logged-1',
      });
    },
    PATIENCE_MS,
  );

  it(
    'tells nothing of it again after a start, but of what has become of it',
    async () => {
      expect(await service.kill('SIGTERM')).toBe(0);
      service = await home.start(`alpha=${node.url}`);
      const readCount = async (): Promise<number> => {
        const { nodes } = await service.graphql<{ nodes: { submissionCount: string }[] }>(
          '{ nodes { submissionCount } }',
        );
        return Number(nodes[0]?.submissionCount);
      };
      const before = await readCount();
      await waitFor('new rows', async () => ((await readCount()) > before ? true : undefined));
      expect(lines('the database is brought to this version')).toEqual([]);
      expect(lines('recovered from CRITICAL')).toEqual([]);
    },
    PATIENCE_MS,
  );
});
