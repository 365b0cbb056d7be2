import { EventStore } from '../../src/event-log/event-store.js';
import { ReadDatabase } from '../../src/platform/reads/read-database.js';
import { startApi, type Answer, type ApiServer } from '../support/api-server.js';
import { BlackHoleProxy } from '../support/black-hole-proxy.js';
import { ManualClock } from '../support/manual-clock.js';
import { insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { ReplicatedDatabase } from '../support/replicated-database.js';
import { waitFor } from '../support/service-process.js';

const PATIENCE_MS = 180_000;

interface Nodes {
  readonly nodes: readonly { readonly id: string }[];
}

/** One query of every kind. */
const EVERYTHING = `{
  nodes { id da { state claim } node { state } }
  submissions(first: 5, filter: { chains: ["chain-1"], message: "x" }) { nodes { id raw blocks } }
  losses(first: 5) { nodes { kind } }
  blocks(first: 5) { nodes { height } }
  healthHistory(node: "alpha", from: "2026-11-01T00:00:00Z") { state }
  availability(node: "alpha", from: "2026-11-01T00:00:00Z") { state }
  priceBook(chain: "chain-1") { subject }
  statistics(bucket: DAY, from: "2026-11-01T00:00:00Z", groupBy: [CHAIN]) { attempts nodes provenLost blocksProduced inclusionLagMs { p50 } }
  costReport(bucket: DAY, from: "2026-11-01T00:00:00Z", knownAt: "2100-01-01T00:00:00Z") { feeMax }
}`;

describe('a replica that answers queries', () => {
  let database: ReplicatedDatabase;
  let toPrimary: BlackHoleProxy;
  let toReplica: BlackHoleProxy;
  let api: ApiServer;
  let recorded = 0n;

  /** Writes something into the log and into a read model of the primary. */
  const record = async (node: string, key: number): Promise<void> => {
    const event = { type: 'NodeRegistered', observedAt: 0, body: { url: `http://${node}` } } as const;
    await new EventStore(api.dataSource).append({
      stream: `${node}/node`,
      expectedVersion: 0n,
      events: [event],
    });
    await insertRows(api.dataSource, 'node', [nodeRow(key, node, { chain_id: 'chain-1' })]);
    recorded += 1n;
  };
  const until = (what: string, isSo: (answer: Answer<Nodes>) => boolean): Promise<Answer<Nodes>> =>
    waitFor(what, async () => {
      const answer = await api.ask<Nodes>('{ nodes { id } }');
      return isSo(answer) ? answer : undefined;
    });
  /** The reported state of a replica may be a second old: an answer can hold more than the position in it. */
  const untilLevel = (nodes: number): Promise<Answer<Nodes>> =>
    until('the replica to be level', ({ data, extensions }) => {
      const { behindSeconds, position } = extensions?.replica ?? {};
      return data?.nodes.length === nodes && behindSeconds === 0 && position === String(recorded);
    });
  const readiness = async (): Promise<[number, readonly string[]]> => {
    const response = await fetch(`${api.url}/health/ready`);
    return [response.status, ((await response.json()) as { degraded?: string[] }).degraded ?? []];
  };

  beforeAll(async () => {
    database = await ReplicatedDatabase.start();
    toPrimary = await BlackHoleProxy.start(database.primaryUrl);
    toReplica = await BlackHoleProxy.start(database.replicaUrl);
    api = await startApi(toPrimary.url, { readUrl: toReplica.url });
    await record('alpha', 1);
    await insertRows(api.dataSource, 'submission', [submissionRow(1, {})]);
  }, PATIENCE_MS);

  afterAll(async () => {
    await api?.stop();
    await toPrimary?.stop();
    await toReplica?.stop();
    await database?.stop();
  }, PATIENCE_MS);

  it('is reported as not behind once it has everything', async () => {
    await untilLevel(1);
    expect(await readiness()).toEqual([200, ['No process observes the nodes.']]);
  });

  it('answers every kind of query', async () => {
    const answer = await api.ask(EVERYTHING);
    expect(answer).toMatchObject({ status: 200, extensions: { replica: { position: String(recorded) } } });
    expect(answer.errors).toBeUndefined();
  });

  it('reports how far it is behind, and the position of its answers', async () => {
    await record('beta', 2);
    await untilLevel(2);
    await database.pause();
    try {
      await record('gamma', 3);
      const answer = await until(
        'the delay to grow',
        ({ extensions }) => (extensions?.replica?.behindSeconds ?? 0) >= 2,
      );
      expect(answer.data?.nodes.map(({ id }) => id)).toEqual(['alpha', 'beta']);
      expect(answer.extensions?.replica?.position).toBe(String(recorded - 1n));
      // Changes by people go to the primary all the same.
      const change = `mutation { setPrices(chain: "chain-1", entries: [{ gasPrice: "0.004" }]) { subject } }`;
      expect(await api.read(change)).toEqual({ setPrices: [{ subject: 'GAS_PRICE' }] });
      recorded += 1n;
    } finally {
      await database.resume();
    }
    await untilLevel(3);
  });

  it('is not reported as complete while its state is unknown', async () => {
    toPrimary.refuse(true);
    try {
      const answer = await until('the primary to be missed', ({ extensions }) => {
        const { behindSeconds, position } = extensions?.replica ?? {};
        return behindSeconds === null && position !== null;
      });
      expect([answer.status, answer.extensions?.replica?.position]).toEqual([200, String(recorded)]);
    } finally {
      toPrimary.refuse(false);
    }
  });

  it('is not replaced by the primary while it is away', async () => {
    toReplica.refuse(true);
    try {
      const answer = await until('the replica to be missed', ({ status }) => status === 503);
      expect(answer.errors?.[0]).toMatchObject({
        message: expect.stringMatching(/^The replica that answers queries cannot be reached/),
        extensions: { code: 'UNAVAILABLE' },
      });
      await waitFor('readiness to tell', async () =>
        (await readiness())[1].includes(
          'The replica that answers queries does not respond: queries are refused until it does.',
        )
          ? true
          : undefined,
      );
      expect((await readiness())[0]).toBe(200);
    } finally {
      toReplica.refuse(false);
    }
    await until('the replica to be back', ({ status }) => status === 200);
  });

  it('is polled once a second at most, whatever the number of clients', async () => {
    const still = await startApi(database.primaryUrl, {
      readUrl: database.replicaUrl,
      clock: new ManualClock(),
    });
    try {
      const reads = still.app.get(ReadDatabase);
      const queryBeside = reads.queryBeside.bind(reads);
      let asked = 0;
      reads.queryBeside = (sql, parameters) => {
        asked += 1;
        return queryBeside(sql, parameters);
      };
      await Promise.all(Array.from({ length: 50 }, () => still.read('{ nodes { id } }')));
      // Its position, and what its read models lack.
      expect(asked).toBe(2);
    } finally {
      await still.stop();
    }
  });

  it('may be the primary itself, which is never behind', async () => {
    const same = await startApi(database.primaryUrl, { readUrl: database.primaryUrl });
    try {
      const answer = await same.ask('{ nodes { id } }');
      expect(answer.extensions?.replica).toEqual({ behindSeconds: 0, position: String(recorded) });
      const written = same.app.get(ReadDatabase).query('DELETE FROM node');
      await expect(written).rejects.toMatchObject({ code: '25006' });
    } finally {
      await same.stop();
    }
  });
});
