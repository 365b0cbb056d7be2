import { Pool } from 'undici';
import { startChild, type Child } from './child.js';
import type { Figure } from './figures.js';
import { round } from './figures.js';
import { medianOf, playRounds, ratioOf, wallMs } from './rounds.js';

/** Connections of the client, each with one request at a time. */
const CONNECTIONS = 8;
const ROUNDS = 9;

/** Rounds before the counted ones: both processes compile repeated requests piece by piece. */
const WARM_UPS = 8;

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A query as a server without anything else answers it. */
export interface BareQuestion {
  readonly name: string;
  /** Run one after the other on one connection; the last rows are the answer. */
  readonly statements: readonly Statement[];
  /** The answer: rows as JSON objects, or the column `text` of each row unchanged. */
  readonly form: 'rows' | 'texts';
}

/** A request to a service. */
export interface Asked {
  readonly path: string;
  /** The body of a POST. */
  readonly body?: object;
}

interface ContestOptions {
  readonly requests: number;
  readonly atLeast?: number;
  /** Both answers have the same bytes. */
  readonly isSame?: boolean;
}

/** The service and the bare server, each in its own process, on one database. */
export class Contest {
  private constructor(
    private readonly ours: Child<string>,
    private readonly bare: Child<string>,
    private readonly pools: readonly [ours: Pool, bare: Pool],
  ) {}

  static async start(databaseUrl: string): Promise<Contest> {
    const ours = await startChild<string>('hindsight-server.ts', { databaseUrl });
    const bare = await startChild<string>('bare-server.ts', { databaseUrl });
    const open = ({ ready }: Child<string>): Pool => new Pool(ready, { connections: CONNECTIONS });
    return new Contest(ours, bare, [open(ours), open(bare)]);
  }

  /** Requests per second of the service, compared with the bare server. */
  async compare(
    what: string,
    asked: Asked,
    question: Omit<BareQuestion, 'name'>,
    { requests, atLeast, isSame = false }: ContestOptions,
  ): Promise<Figure> {
    await this.bare.ask({ ...question, name: 'question' });
    const answers = await Promise.all([
      send(this.pools[0], asked),
      send(this.pools[1], { path: '/question' }),
    ]);
    if (isSame && answers[0] !== answers[1]) throw new Error(`${what}: the answers differ`);
    const costs = await this.play(requests, [
      { name: 'Hindsight', pool: this.pools[0], asked },
      { name: 'bare', pool: this.pools[1], asked: { path: '/question' } },
    ]);
    const rate = (name: string): string => `${round(requests / (medianOf(costs, name) / 1_000))}/s`;
    return {
      what,
      ours: rate('Hindsight'),
      peer: rate('bare'),
      value: ratioOf(costs, 'bare', 'Hindsight'),
      ...(atLeast !== undefined && { limit: { atLeast } }),
    };
  }

  /** The time of one request to the service, compared with another request. */
  async compareTimes(
    what: string,
    [asked, peer]: readonly [Asked, Asked],
    { requests, atMost }: { readonly requests: number; readonly atMost: number },
  ): Promise<Figure> {
    const [pool] = this.pools;
    const costs = await this.play(requests, [
      { name: 'ours', pool, asked },
      { name: 'peer', pool, asked: peer },
    ]);
    const time = (name: string): string => `${round(medianOf(costs, name) / requests)} ms`;
    return {
      what,
      ours: time('ours'),
      peer: time('peer'),
      value: ratioOf(costs, 'ours', 'peer'),
      limit: { atMost },
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.close()));
    await this.ours.stop();
    await this.bare.stop();
  }

  private play(
    requests: number,
    contestants: readonly { readonly name: string; readonly pool: Pool; readonly asked: Asked }[],
  ): Promise<Map<string, number[]>> {
    return playRounds(
      contestants.map(({ name, pool, asked }) => ({
        name,
        run: () => wallMs(() => sendMany(pool, asked, requests)),
      })),
      ROUNDS,
      WARM_UPS,
    );
  }
}

async function sendMany(pool: Pool, asked: Asked, requests: number): Promise<void> {
  let left = requests;
  const work = async (connection: number): Promise<void> => {
    const own = ownOf(asked, connection);
    while (left-- > 0) await send(pool, own);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => work(connection)));
}

/** A query whose text no other connection sends: a service runs equal queries that arrive together once. */
function ownOf(asked: Asked, connection: number): Asked {
  const { body } = asked;
  if (body === undefined || !('query' in body)) return asked;
  return { ...asked, body: { ...body, query: `${String(body.query)} # ${connection}` } };
}

/** @throws Error if the status is not 200, or the answer has GraphQL errors */
async function send(pool: Pool, { path, body }: Asked): Promise<string> {
  const { statusCode, body: answer } = await pool.request({
    path,
    method: body ? 'POST' : 'GET',
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await answer.text();
  if (statusCode !== 200 || text.includes('"errors"'))
    throw new Error(`${path} was refused: ${text.slice(0, 500)}`);
  return text;
}
