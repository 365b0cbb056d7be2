import { CompactSign, UnsecuredJWT } from 'jose';
import {
  startExecutionDevnode,
  type ExecutionDevnode,
} from '../../src/devnode/execution/execution-devnode.js';
import { GENESIS_APP_HASH } from '../../src/devnode/block-factory.js';
import { ManualClock } from '../support/manual-clock.js';
import { callMethod, formOf, readExchanges, sendRaw, type RpcAnswer } from '../support/recorded-exchanges.js';

const DATA_HASH = '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d';

describe('an execution layer of the rig', () => {
  const clock = new ManualClock();
  let node: ExecutionDevnode;
  let fresh: ExecutionDevnode;

  beforeAll(async () => {
    node = await startExecutionDevnode({ clock });
    fresh = await startExecutionDevnode({ clock });
    execute(node, 40n);
  });
  afterEach(() => node.end());
  afterAll(() => Promise.all([node.stop(), fresh.stop()]));

  const nowS = (): number => Math.floor(clock.now() / 1000);
  const sign = (claims: object, secret = node.jwtSecret): Promise<string> =>
    new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(Buffer.from(secret, 'hex'));
  const call = (method: string, params: unknown[] = []): Promise<RpcAnswer> =>
    callMethod(node.url, method, params);

  it.each(
    readExchanges('execution-layer/geth.ndjson').map(
      (each) => [`${each.file} ${each.port}: ${each.case}`, each] as const,
    ),
  )('answers as the recorded one, %s', async (_, { file, port, host, hasToken, request, response }) => {
    const asked = file === 'geth-fresh' ? fresh : node;
    const answer = await sendRaw(port === 'engine' ? asked.engineUrl : asked.url, request, {
      ...(hasToken && { authorization: `Bearer ${await sign({ iat: nowS() }, asked.jwtSecret)}` }),
      ...(host !== undefined && { host }),
    });
    expect(answer.status).toBe(response.status);
    for (const name of ['content-type', 'vary', 'x-content-type-options']) {
      expect(answer.headers[name]).toBe(response.headers[name]);
    }
    expect(formOf(answer.body)).toEqual(formOf(response.body));
    if (!/eth_getBlock|clientVersion|ClientVersion/.test(request.body))
      expect(answer.body).toBe(response.body);
  });

  it.each(readExchanges('execution-layer/geth-tokens.ndjson').map((each) => [each.case, each] as const))(
    'takes or refuses a token as the recorded one: %s',
    async (name, { request, response }) => {
      const authorization = await authorizationFor(name);
      const answer = await sendRaw(
        node.engineUrl,
        request,
        authorization === undefined ? {} : { authorization },
      );
      expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
        response.status,
        response.headers['content-type'],
        response.body,
      ]);
    },
  );

  async function authorizationFor(name: string): Promise<string | undefined> {
    const now = nowS();
    const claims: Readonly<Record<string, object>> = {
      'good token (iat now)': { iat: now },
      'good token, iat now, exp in 1 h (the form ev-node sends)': { iat: now, exp: now + 3600 },
      'good token, iat 58 s ago': { iat: now - 58 },
      'good token, iat 58 s ahead': { iat: now + 58 },
      'iat 62 s ago': { iat: now - 62 },
      'iat an hour ago (token made once and kept)': { iat: now - 3600 },
      'iat 62 s ahead (clock ahead)': { iat: now + 62 },
      'no iat claim': { exp: now + 60 },
      'iat is a string': { iat: String(now) },
      'iat good, exp past': { iat: now, exp: now - 60 },
      'good token, unknown claims id and clv': { iat: now, id: 'x', clv: 'y' },
    };
    if (claims[name]) return `Bearer ${await sign(claims[name])}`;
    if (name.startsWith('good token, lower-case')) return `bearer ${await sign({ iat: now })}`;
    if (name === 'signed with another secret') return `Bearer ${await sign({ iat: now }, 'ab'.repeat(32))}`;
    if (name === 'alg none') return `Bearer ${new UnsecuredJWT({ iat: now }).encode()}`;
    if (name === 'not a JWT') return 'Bearer this-is-no-token';
    if (name === 'three parts, not base64 JSON') return 'Bearer aaa.bbb.ccc';
    if (name === 'empty Bearer') return 'Bearer ';
    return name.startsWith('Basic') ? 'Basic dXNlcjpwYXNz' : undefined;
  }

  it('shows its chain behind, ahead or different, as its faults say', async () => {
    const rootOf = async (number: string): Promise<string | undefined> =>
      (
        (await call('eth_getBlockByNumber', [number, false])).result as
          { stateRoot: string } | null | undefined
      )?.stateRoot;
    const root = await rootOf('0x27');
    await node.begin({ fault: 'behind', blocks: 5 });
    expect([(await call('eth_blockNumber')).result, await rootOf('0x27')]).toEqual(['0x23', undefined]);
    await node.end();
    await node.begin({ fault: 'ahead', blocks: 2 });
    expect([(await call('eth_blockNumber')).result, await rootOf('0x27')]).toEqual(['0x2a', root]);
    await node.end();
    const before = await rootOf('0x26');
    await node.begin({ fault: 'differs', height: 39 });
    expect([await rootOf('0x26'), (await rootOf('0x27')) === root]).toEqual([before, false]);
    expect((await call('dev_execute', [payloadAfter(node)])).error?.message).toMatch(
      /^prevStateRoot mismatch at height 41: consensus=[0-9a-f]{64} execution=[0-9a-f]{64}$/,
    );
    await node.begin({ fault: 'wrong-genesis', refuse: false });
    expect(await rootOf('earliest')).not.toBe(`0x${GENESIS_APP_HASH}`);
    expect((await call('dev_execute', [payloadAfter(node)])).error).toBeUndefined();
  });
});

/** Executes empty blocks up to a height. */
function execute(node: ExecutionDevnode, to: bigint): void {
  while (node.chain.head.number < to) {
    const { height, timestamp, previousStateRoot } = payloadAfter(node);
    node.chain.execute({
      height: BigInt(height),
      timestamp: BigInt(timestamp),
      previousStateRoot,
      dataHash: DATA_HASH,
    });
  }
}

function payloadAfter({ chain: { head } }: ExecutionDevnode) {
  return {
    height: String(head.number + 1n),
    timestamp: String(head.timestamp + 1n),
    previousStateRoot: head.stateRoot,
    dataHash: DATA_HASH,
  };
}
