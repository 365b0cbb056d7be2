import { Devnode } from '../../src/devnode/devnode.js';
import { METHODS, type Call } from '../../src/node-service/messages.js';
import { HttpClient } from '../../src/platform/http.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { outcomeOf, transportsTo } from '../support/node-clients.js';
import { projectAll } from '../support/read-models.js';
import { SmallLog } from '../support/small-log.js';
import { WatchedServices } from '../support/watched-services.js';

const NAMES = [...transportsTo('http://127.0.0.1').keys()];
const BLOCK_MS = 500;
const STEPS_A_LOOK = 10;
/** The DA layer refuses everything up to the first poll. */
const FIRST_LOOK_MS = 5_000;
/** The node reports its progress a minute after the first poll. */
const LAST_LOOK_MS = 65_000;
const MIDDLE_LOOK_MS = 35_000;

type Json = Readonly<Record<string, unknown>>;
type Question = readonly [name: string, call: Call, input?: object];

const byHeight = (value: bigint): object => ({ identifier: { case: 'height', value } });
const keyed = (key: string): Question => [`metadata ${key}`, 'StoreService/GetMetadata', { key }];

/** Everything but the state: Hindsight returns the state before the newest block. */
const QUESTIONS: readonly Question[] = [
  ...[1n, 2n, 3n, 4n, 5n, 6n].map((height): Question => [
    `block ${height}`,
    'StoreService/GetBlock',
    byHeight(height),
  ]),
  ['the newest block', 'StoreService/GetBlock', byHeight(0n)],
  ['a block that there is not', 'StoreService/GetBlock', byHeight(99_999n)],
  ['no block', 'StoreService/GetBlock'],
  ...['d', 'gdh', 'last-submitted-header-height', 'last-submitted-data-height', 'lst-prnd-b'].map(keyed),
  ...['rhb/2/h', 'rhb/2/d', 'no-such-key'].map(keyed),
  ['genesis', 'StoreService/GetGenesisDaHeight'],
  ['stores', 'StoreService/GetP2PStoreInfo'],
  ['namespaces', 'ConfigService/GetNamespace'],
  ['signer', 'ConfigService/GetSignerInfo'],
  ['peers', 'P2PService/GetPeerInfo'],
  ['net', 'P2PService/GetNetInfo'],
];

/** All answers at one moment, by name. */
type Answers = ReadonlyMap<string, unknown>;

async function askAll(baseUrl: string, name: string, query = ''): Promise<Answers> {
  const transport = transportsTo(baseUrl, query).get(name)!;
  const answers = new Map<string, unknown>();
  for (const [question, call, input] of QUESTIONS) {
    answers.set(question, await outcomeOf(transport, call, input));
  }
  return answers;
}

interface ToldState {
  readonly state: { readonly lastBlockHeight: string; readonly daHeight?: string };
}

const stateBy = async (baseUrl: string, name: string, query = ''): Promise<ToldState> =>
  (await outcomeOf(transportsTo(baseUrl, query).get(name)!, 'StoreService/GetState')) as ToldState;

/** A block without its node: `lastDataHash` is not on record, nor are transactions. */
function withoutUnrecorded(name: string, answer: unknown): unknown {
  const { block, ...rest } = answer as {
    block?: { header: unknown; data?: { txs?: unknown; metadata?: Json } };
  };
  if (!block) return answer;
  if (block.data?.txs) return { unrecorded: name };
  const { lastDataHash: _, ...metadata } = block.data?.metadata ?? {};
  return { ...rest, block: { ...block, data: { ...block.data, metadata } } };
}

describe('every call of a node whose chain moves', () => {
  const clock = new ManualClock(SmallLog.START);
  /** The clock of the requests: by it, the node may be asked again for each test while its chain has stopped. */
  const readersClock = new ManualClock(SmallLog.START);
  const http = new HttpClient();
  let database: TestDatabase;
  let api: ApiServer;
  let node: Devnode;
  /** The node's own states, by their heights. */
  const states = new Map<number, ToldState>();
  /** The node's own answers at polls, by the time since the first start. */
  const told = new Map<number, Answers>();

  beforeAll(async () => {
    node = new Devnode({ chainId: 'moving-1', clock, blockTimeMs: BLOCK_MS, daBlockTimeMs: 1_000 });
    node.faults.begin('refused');
    await node.start();
    database = await startTestDatabase();
    api = await startApi(database.url, { clock: readersClock, nodes: [{ id: 'alpha', url: node.url }] });
    await appendLog(api.dataSource, new SmallLog().register('alpha').events);
    const watched = new WatchedServices(api.dataSource, http, clock, node, { id: 'alpha' });
    for (let now = BLOCK_MS; now <= LAST_LOOK_MS; now += BLOCK_MS) {
      await clock.advance(BLOCK_MS);
      const shown = await stateBy(node.url, 'gRPC');
      states.set(Number(shown.state.lastBlockHeight), shown);
      if (now % (STEPS_A_LOOK * BLOCK_MS) !== 0) continue;
      await watched.poll();
      told.set(now, await askAll(node.url, 'gRPC'));
      if (now === FIRST_LOOK_MS) node.faults.end('refused');
    }
    await projectAll(api.dataSource);
  }, 120_000);
  beforeEach(() => readersClock.advance(60_000));
  afterAll(async () => {
    await api.stop();
    await database.stop();
    await http.close();
  });

  const base = (): string => `${api.url}/nodes/alpha`;
  const at = (ms: number): string => `?at=${new Date(SmallLog.START + ms).toISOString()}`;
  const heightOf = ({ state }: ToldState): number => Number(state.lastBlockHeight);
  /** The node's own state, except for the DA height. Blocks do not contain it, so it is the one that was reported at the first poll. */
  const ownState = (height: number): ToldState => {
    const [first] = states.values();
    const { daHeight: _, ...moved } = states.get(height)!.state;
    return { state: { ...moved, ...(first!.state.daHeight && { daHeight: first!.state.daHeight }) } };
  };

  it('is called on a chain that moves: every answer that can change has changed', () => {
    const [first, last] = [told.get(FIRST_LOOK_MS)!, told.get(LAST_LOOK_MS)!];
    const changed = QUESTIONS.map(([name]) => name).filter(
      (name) => JSON.stringify(first.get(name)) !== JSON.stringify(last.get(name)),
    );
    expect(changed).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((height) => `block ${height}`),
      'the newest block',
      'metadata d',
      'metadata gdh',
      'metadata last-submitted-header-height',
      'metadata last-submitted-data-height',
      'metadata rhb/2/h',
      'metadata rhb/2/d',
      'genesis',
      'stores',
    ]);
    const asked = new Set(QUESTIONS.map(([, call]) => call));
    const others = [...METHODS.keys()].filter((call) => !asked.has(call));
    expect(others).toEqual(['StoreService/GetState', 'StoreService/GetNamespace']);
  });

  describe('while the node lives', () => {
    it.each(NAMES)('is answered by %s as the node answers it', async (name) => {
      expect(await askAll(base(), name)).toEqual(await askAll(node.url, name));
      const state = await stateBy(base(), name);
      expect(state).toEqual(ownState(heightOf(state)));
      expect(heightOf(state)).toBe(Number(node.chain.headHeight) - 1);
    });

    it('is refused by GET, which the node does not offer for any call', async () => {
      for (const call of METHODS.keys()) {
        if (call === 'StoreService/GetNamespace') continue;
        for (const url of [node.url, base()]) {
          const response = await fetch(`${url}/evnode.v1.${call}?encoding=json&message=%7B%7D`);
          expect([call, url, response.status, response.headers.get('allow')]).toEqual([
            call,
            url,
            405,
            'POST',
          ]);
        }
      }
    });
  });

  describe('once the node is gone', () => {
    beforeAll(() => node.stop());

    const unrecorded = (height: string): unknown => ({
      refused: 'Unavailable',
      message: expect.stringContaining(height) as unknown,
    });
    /** The part of the node's answers that the record can return. */
    const onRecord = (answers: Answers): Answers =>
      new Map(
        [...answers].map(([name, answer]) => {
          const known = withoutUnrecorded(name, answer);
          const isUnrecorded = (known as { unrecorded?: string }).unrecorded !== undefined;
          return [name, isUnrecorded ? unrecorded('transactions') : known];
        }),
      );
    const leaveOut = (answers: Answers, ...names: string[]): Answers =>
      new Map([...answers].filter(([name]) => !names.includes(name)));

    it.each(NAMES)('is answered by %s as the node answered it last', async (name) => {
      const answers = await askAll(base(), name);
      const expected = onRecord(told.get(LAST_LOOK_MS)!);
      // The observers never asked the node for this key.
      expect(answers.get('metadata no-such-key')).toMatchObject({ refused: 'Unavailable' });
      const others = ['metadata no-such-key', 'stores'];
      expect(leaveOut(answers, ...others)).toEqual(leaveOut(expected, ...others));
      expect([...told.values()].map((each) => each.get('stores'))).toContainEqual(answers.get('stores'));
      const state = await stateBy(base(), name);
      expect(state).toEqual(ownState(heightOf(state)));
    });

    it.each(NAMES)('is answered of a moment by %s as the node answered it then', async (name) => {
      for (const moment of [FIRST_LOOK_MS, MIDDLE_LOOK_MS]) {
        const answers = await askAll(base(), name, at(moment));
        const progress = ['d', 'last-submitted-header-height', 'last-submitted-data-height'].map(
          (key) => `metadata ${key}`,
        );
        const late = moment === FIRST_LOOK_MS ? [] : progress;
        const others = ['metadata no-such-key', 'stores', ...late];
        expect([moment, leaveOut(answers, ...others)]).toEqual([
          moment,
          leaveOut(onRecord(told.get(moment)!), ...others),
        ]);
        expect(answers.get('stores')).toEqual(told.get(FIRST_LOOK_MS)!.get('stores'));
        const state = await stateBy(base(), name, at(moment));
        expect(state).toEqual(ownState(heightOf(state)));
      }
    });
  });
});
