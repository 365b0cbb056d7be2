import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { findFaults, type Reply } from '../support/question-fuzzer/findings.js';
import { QuestionMaker, type Question } from '../support/question-fuzzer/random-question.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const SECONDS = Number(process.env['HINDSIGHT_FUZZ_SECONDS'] ?? 60);
const SEED = Number(process.env['HINDSIGHT_FUZZ_SEED'] ?? 1);
const ASKERS = 4;
const PATIENCE_MS = 120_000;

/** Lists whose cursors are tried, too. */
const CURSOR_LISTS = ['submissions', 'blocks', 'losses'];

describe(`a service that is asked at random (seed ${SEED})`, () => {
  const home = new ServiceHome();
  let node: Devnode;
  let service: ServiceProcess;

  beforeAll(async () => {
    node = await startDevnode({ chainId: 'fuzz-1', blockTimeMs: 300, daBlockTimeMs: 600 });
    service = await home.start(`dev=${node.url}`);
    await waitFor('submissions', async () => {
      const { nodes } = await service.graphql<{ nodes: { submissionCount: string }[] }>(
        '{ nodes { submissionCount } }',
      );
      return Number(nodes[0]?.submissionCount) > 3 || undefined;
    });
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await node?.stop();
  }, PATIENCE_MS);

  const ask = async (question: Question): Promise<Reply> => {
    const response = await fetch(`${service.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
      signal: AbortSignal.timeout(60_000),
    });
    return { status: response.status, text: await response.text() };
  };

  const readSchema = async (): Promise<GraphQLSchema> =>
    buildClientSchema(await service.graphql<IntrospectionQuery>(getIntrospectionQuery()));

  const readCursors = async (): Promise<string[]> => {
    const lists = CURSOR_LISTS.map((list) => `${list}(first: 3) { edges { cursor } }`).join(' ');
    const answer = await service.graphql<Record<string, { edges: { cursor: string }[] }>>(`{ ${lists} }`);
    return Object.values(answer).flatMap(({ edges }) => edges.map(({ cursor }) => cursor));
  };

  it(
    'answers every question properly, and logs none of them as an error',
    async () => {
      const source = {
        schema: await readSchema(),
        now: Date.now(),
        known: { cursors: await readCursors(), ids: ['dev', 'fuzz-1'] },
      };
      const end = performance.now() + SECONDS * 1_000;
      const faults: { fault: string; question: Question }[] = [];
      let answered = 0;
      const askOn = async (asker: number): Promise<void> => {
        const maker = new QuestionMaker({ ...source, random: seededRandom(SEED * ASKERS + asker) });
        while (performance.now() < end && faults.length < 5) {
          const question = maker.make();
          // What is asked again is compiled, and answered by other code.
          for (let times = 0; times < (answered % 4 === 0 ? 3 : 1); times += 1) {
            const found = findFaults(question, await ask(question));
            faults.push(...found.map((fault) => ({ fault, question })));
            answered += 1;
          }
        }
      };
      await Promise.all(Array.from({ length: ASKERS }, (_, asker) => askOn(asker)));
      expect(faults).toEqual([]);
      expect(answered).toBeGreaterThan(SECONDS);
      expect(service.log.split('\n').filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
      const { nodes } = await service.graphql<{ nodes: unknown[] }>('{ nodes { id } }');
      expect(nodes).toEqual([{ id: 'dev' }]);
    },
    PATIENCE_MS + SECONDS * 1_000,
  );
});
