import * as fc from 'fast-check';
import { startDaDevnode, type DaDevnode } from '../../src/devnode/da/da-devnode.js';
import type { DaDevnodeOptions } from '../../src/devnode/da/da-options.js';
import type { DaLevel } from '../../src/devnode/da/da-tokens.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  callMethod,
  formOf,
  readExchanges,
  sendRaw,
  type RawAnswer,
  type RpcAnswer,
} from '../support/recorded-exchanges.js';

const NAMESPACE = Buffer.alloc(29, 1).toString('base64');
const VALIDATOR = 'celestia1dw50zg6x9ynavtst9vus7mnmm447wps84pjjzq';

interface TruthLine {
  readonly what: string;
  readonly [name: string]: unknown;
}

describe('a DA node of the rig', () => {
  const started: DaDevnode[] = [];

  afterEach(async () => {
    await Promise.all(started.splice(0).map((node) => node.stop()));
  });

  async function start(options: DaDevnodeOptions = {}): Promise<DaDevnode> {
    const node = await startDaDevnode({ blockTimeMs: 0, clock: new ManualClock(), ...options });
    started.push(node);
    return node;
  }

  function call(
    node: DaDevnode,
    method: string,
    params: unknown[] = [],
    level: DaLevel = 'write',
  ): Promise<RpcAnswer> {
    return callMethod(node.url, method, params, { authorization: `Bearer ${node.tokens[level]}` });
  }
  const resultOf = async (answer: Promise<RpcAnswer>): Promise<unknown> => (await answer).result;
  const errorOf = async (answer: Promise<RpcAnswer>): Promise<string | undefined> =>
    (await answer).error?.message;
  const balanceOf = (node: DaDevnode): Promise<unknown> =>
    resultOf(call(node, 'state.Balance')).then((balance) => (balance as { amount: string }).amount);
  /** Posts blobs of these sizes, and makes the block that includes them. */
  async function submit(node: DaDevnode, ...sizes: number[]): Promise<RpcAnswer> {
    const blobs = sizes.map((size) => ({
      namespace: NAMESPACE,
      data: Buffer.alloc(size, 120).toString('base64'),
    }));
    const answer = call(node, 'blob.Submit', [blobs, {}]);
    await waitFor(() => node.chain.waiting > 0, answer);
    node.produce();
    return answer;
  }
  const control = (node: DaDevnode, command: object): Promise<RawAnswer> =>
    sendRaw(node.controlUrl, {
      method: 'POST',
      path: '/dev/fault',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(command),
    });
  const truthOf = (node: DaDevnode): TruthLine[] =>
    node.truthText
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TruthLine);

  describe('answers as the recorded one', () => {
    let node: DaDevnode;
    beforeAll(async () => {
      node = await startDaDevnode({ blockTimeMs: 0, clock: new ManualClock() });
      node.produce(5);
      void node.send({ fund: { account: VALIDATOR, amount: 3n } });
      node.produce();
    });
    afterAll(() => node.stop());

    it.each(readExchanges('celestia-node/consensus-rest.ndjson').map((each) => [each.case, each] as const))(
      'of the consensus node to: %s',
      async (_, { request, response }) => {
        const answer = await sendRaw(node.consensusUrl, request);
        expect(answer.status).toBe(response.status);
        for (const name of ['content-type', 'grpc-metadata-content-type'])
          expect(answer.headers[name]).toBe(response.headers[name]);
        const height = 'grpc-metadata-x-cosmos-block-height';
        const own = request.headers['x-cosmos-block-height'] ?? String(node.chain.head.height);
        expect(answer.headers[height]).toBe(response.headers[height] && own);
        if (response.status === 200) expect(formOf(answer.body)).toEqual(formOf(response.body));
        else expect(answer.body).toBe(response.body);
      },
    );

    it.each(readExchanges('celestia-node/rpc.ndjson').map((each) => [each.case, each] as const))(
      'to: %s',
      async (_, { token = 'read', request, response }) => {
        const headers: Record<string, string> =
          token === 'none' ? {} : { authorization: `Bearer ${node.tokens[token]}` };
        const answer = await sendRaw(node.url, request, headers);
        expect(answer.status).toBe(response.status);
        expect(answer.headers['content-type']).toBe(response.headers['content-type']);
        expect(formOf(answer.body)).toEqual(formOf(response.body));
      },
    );

    it.each(readExchanges('celestia-node/tokens.ndjson').map((each) => [each.case, each] as const))(
      'to a token: %s',
      async (name, { request, response }) => {
        const { path, authorization } = await tokenFor(name);
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        const answer = await sendRaw(node.url, { ...request, path: request.path + path }, headers);
        expect(answer.status).toBe(response.status);
        expect(answer.headers['content-type']).toBe(response.headers['content-type']);
        expect(answer.body).toBe(response.body);
      },
    );

    async function tokenFor(name: string): Promise<{ path: string; authorization?: string }> {
      const { read } = node.tokens;
      if (/no token|without a token/.test(name)) return { path: '' };
      if (name === 'token as query parameter') return { path: `?token=${read}` };
      const other = await startDaDevnode({ blockTimeMs: 0, seed: 'another' });
      await other.stop();
      const authorizations: Readonly<Record<string, string>> = {
        'good read token with an expiry a day away': `Bearer ${await node.token('read', '2026-11-22T06:00:00Z')}`,
        'token expired': `Bearer ${await node.token('read', '2026-11-21T05:59:59Z')}`,
        'token signed by another key (e.g. of another node or a re-created store)': `Bearer ${other.tokens.read}`,
        'not a JWT': 'Bearer nonsense',
        'empty Bearer': 'Bearer ',
        'Bearer left out': read,
        'lower-case bearer': `bearer ${read}`,
        Basic: 'Basic dXNlcjpwYXNz',
        'token followed by a blank': `Bearer ${read} `,
        'public token: no read permission': `Bearer ${node.tokens.public}`,
      };
      return { path: '', authorization: authorizations[name] ?? `Bearer ${read}` };
    }
  });

  it('takes the recorded fees, and refuses what the account cannot pay', async () => {
    const node = await start({ balanceUtia: 1_000n });
    node.produce();
    for (const { case: name, state, request, response } of readExchanges('celestia-node/funds.ndjson')) {
      if (state?.startsWith('funded') !== true) continue;
      if (name.includes('5 s after')) node.produce();
      const [{ data }] = name.startsWith('WRITE')
        ? (JSON.parse(request.body) as { params: [[{ data: string }]] }).params[0]
        : [{ data: '' }];
      const answer =
        data === ''
          ? await call(node, 'state.Balance')
          : await submit(node, Buffer.from(data, 'base64').length);
      expect(answer.status).toBe(response.status);
      if (data === '') expect(answer.body).toBe(response.body);
      else expect(formOf(answer.body)).toEqual(formOf(response.body));
    }
  });

  it('does not know an account that never received anything', async () => {
    const node = await start({ balanceUtia: 0n });
    expect(await balanceOf(node)).toBe('0');
    expect(await errorOf(submit(node, 1))).toBe(`account for signer ${node.address} not found`);
  });

  it('fails to read balances, after the set delay, when the consensus node is down', async () => {
    const clock = new ManualClock();
    const node = await start({ clock });
    await node.begin({ fault: 'consensus-down', delayMs: 500 });
    const answer = call(node, 'state.Balance');
    await advanceUntil(clock, answer);
    const recorded = readExchanges('celestia-node/funds.ndjson').find(
      (each) => each.state === 'consensus node stopped',
    );
    expect((await answer).body).toBe(recorded?.response.body.replace(':23090', ':9090'));
    await node.end();
    expect(await balanceOf(node)).toBe('100000000');
  });

  it('reports that all is well while the chain is halted, and makes no block', async () => {
    const node = await start();
    await node.begin({ fault: 'halt' });
    node.produce(3);
    expect(await resultOf(call(node, 'header.SyncState'))).toMatchObject({ height: 1 });
    expect(await resultOf(call(node, 'node.Ready'))).toBe(true);
    await node.end('halt');
    node.produce();
    expect(await resultOf(call(node, 'header.SyncState'))).toMatchObject({ height: 2 });
  });

  it('keeps its head while it is cut off, and the network continues', async () => {
    const node = await start();
    await node.begin({ fault: 'cut-off' });
    await submit(node, 1);
    node.produce(2);
    expect(await resultOf(call(node, 'header.LocalHead'))).toMatchObject({ header: { height: '1' } });
    expect(await balanceOf(node)).toBe('100000000');
    // The network goes on: the account has paid once the node is back.
    await node.end();
    node.produce();
    expect(await balanceOf(node)).toBe('99999680');
  });

  it('refuses or weakens the tokens of either side', async () => {
    const node = await start();
    await node.begin({ fault: 'token-refused', only: 'write' });
    expect((await call(node, 'node.Ready', [], 'write')).status).toBe(401);
    expect((await call(node, 'node.Ready', [], 'read')).status).toBe(200);
    await node.end();
    await node.begin({ fault: 'token-weak', level: 'read' });
    expect(await errorOf(call(node, 'blob.Submit', [[], {}]))).toBe(
      "missing permission to invoke 'Submit' (need 'write')",
    );
  });

  it('refuses connections while it is stopped, and takes commands on its control port', async () => {
    const clock = new ManualClock();
    const node = await start({ clock });
    expect(JSON.parse((await control(node, { fault: 'stopped' })).body)).toMatchObject({
      faults: ['stopped'],
    });
    await clock.advance(200);
    await expect(call(node, 'node.Ready')).rejects.toThrow('ECONNREFUSED');
    await control(node, { end: 'all' });
    const isUp = (): Promise<boolean> => call(node, 'node.Ready').then(Boolean, () => false);
    while (!(await isUp())) await clock.advance(100);
    const wrong = await control(node, { fund: { amount: -1 } });
    expect([wrong.status, wrong.body]).toEqual([
      400,
      expect.stringMatching(/^Send by POST .* second-sender\.\n$/),
    ]);
    expect((await control(node, { transfer: { to: VALIDATOR, amount: '900000000000' } })).body).toMatch(
      /insufficient funds/,
    );
    expect(truthOf(node).filter(({ what }) => what.startsWith('fault-'))).toMatchObject([
      { what: 'fault-began', fault: 'stopped' },
      { what: 'fault-ended', fault: 'stopped' },
    ]);
  });

  it('keeps a ledger that adds up, whatever is sent', async () => {
    const node = await start({ balanceUtia: 50_000n });
    const accounts = [node.address, node.addressOf('other'), node.addressOf('elsewhere')];
    const account = fc.constantFrom(...accounts);
    const action = fc.oneof(
      fc.record({ transfer: fc.record({ account, to: account, amount: fc.bigInt(0n, 9_000n) }) }),
      fc.record({ fund: fc.record({ account, amount: fc.bigInt(1n, 2_000n) }) }),
      fc.record({ drain: fc.record({ account, leave: fc.bigInt(0n, 500n) }) }),
      fc.record({ fail: fc.record({ account }) }),
      fc.constantFrom('second-sender' as const, 'block' as const),
    );
    const refused = (): undefined => undefined;
    void node.send({ fund: { account: node.addressOf('other'), amount: 5_000n } });
    node.produce();
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
        for (const each of actions) {
          if (each === 'second-sender') await node.begin({ fault: 'second-sender', bytes: 700 });
          else if (each === 'block') node.produce();
          else node.send(each).catch(refused);
        }
        await node.end();
        node.produce();
        requireSums(truthOf(node), node);
      }),
      { numRuns: 15 },
    );
  });
});

/** Each transaction adds up to zero, and each balance is what its entries make of it, never below zero. */
function requireSums(lines: readonly TruthLine[], node: DaDevnode): void {
  const balances = new Map<string, number>();
  const ofTransactions = new Map<string, number>();
  for (const line of lines.filter(({ what }) => what === 'ledger')) {
    const { account, utia, txHash, balanceUtia } = line as unknown as Record<string, number> & {
      account: string;
    };
    balances.set(account, (balances.get(account) ?? 0) + Number(utia));
    if (String(txHash) !== '')
      ofTransactions.set(String(txHash), (ofTransactions.get(String(txHash)) ?? 0) + Number(utia));
    expect(Number(balanceUtia)).toBe(balances.get(account));
    expect(Number(balanceUtia)).toBeGreaterThanOrEqual(0);
  }
  expect([...ofTransactions.values()].filter((sum) => sum !== 0)).toEqual([]);
  for (const [account, utia] of balances) {
    expect(Number(node.chain.ledger.balanceOf(account, node.chain.head.height))).toBe(utia);
  }
}

async function waitFor(isReached: () => boolean, orEnd: Promise<unknown>): Promise<void> {
  const end = endOf(orEnd);
  while (!isReached() && !end.aborted) await new Promise((resolve) => setImmediate(resolve));
}

async function advanceUntil(clock: ManualClock, settled: Promise<unknown>): Promise<void> {
  const end = endOf(settled);
  while (!end.aborted) await clock.advance(50);
}

/** Aborted when the promise is settled. */
function endOf(promise: Promise<unknown>): AbortSignal {
  const end = new AbortController();
  void promise.finally(() => end.abort());
  return end.signal;
}
