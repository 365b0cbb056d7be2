import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startExecutionDevnode } from '../../src/devnode/execution/execution-devnode.js';
import { startDaDevnode } from '../../src/devnode/da/da-devnode.js';
import { nodeWarning } from '../../src/platform/node-release.js';
import { startReplayNode } from '../support/replay-node.js';
import { answerOf, startHostileServer } from '../support/hostile-server.js';
import { loadSamples, startSamplesNode } from '../support/samples-node.js';
import type { CommandResult } from '../support/command-here.js';
import { ServiceHome } from '../support/service-process.js';

const home = new ServiceHome();
afterAll(() => home.clear());

/** The first line of the output if this Node has known vulnerabilities. */
const WARNING = nodeWarning() === undefined ? '' : `hindsight: ${nodeWarning()}\n`;

const hindsight = (...args: string[]): Promise<CommandResult> => home.run(args);

describe('hindsight check', () => {
  it('reports everything about a healthy aggregator, and asks for nothing harmful', async () => {
    const node = await startReplayNode({ file: 'aggregator', speed: 0 });
    node.setTime(50_000);
    const { code, out, error } = await hindsight('check', node.url);
    const json = JSON.parse((await hindsight('check', node.url, '--json')).out) as { checked: unknown[] };
    await node.close();

    expect(json.checked).toMatchObject([
      {
        url: expect.stringContaining(new URL(node.url).host) as unknown,
        facts: { Chain: 'lab-1', Role: 'aggregator', 'Block service': 'evnode.v1' },
        lacking: expect.arrayContaining([expect.stringMatching(/^what its submissions cost/)]) as unknown,
      },
    ]);
    expect(error).toBe(WARNING);
    expect(code).toBe(0);
    expect(out).toMatch(/Block service +evnode\.v1\n/);
    expect(out).toMatch(/Shape +as the real node/);
    expect(out).toMatch(/Chain +lab-1\n/);
    expect(out).toMatch(/Head +\d+, /);
    expect(out).toMatch(/Oldest block +1\n/);
    expect(out).toMatch(/Role +aggregator\n/);
    expect(out).toMatch(/DA monitoring +on, \d+ attempts/);
    expect(out).toMatch(/Newest attempt +Success, at 2026-.*, \d+ blobs?, \d+ bytes, DA height \d+/);
    expect(out).toMatch(/Clock +\d+ s (ahead of|behind) ours|Clock +agrees/);
    expect(out).toContain('+ every DA submission');
    expect(out).toContain('- what its submissions cost, because no submission reports a gas price above 0');
    expect(out).toContain('- whether it is catching up, because no status endpoint was given (--status URL)');
    expect([...node.requests.keys()]).not.toContain('/raft/node');
  });

  it('says why the list of a node with DA monitoring switched off cannot be recorded', async () => {
    const samples = loadSamples().filter(({ node }) => node === 'DA monitoring disabled');
    const node = await startSamplesNode(samples);
    const { code, out } = await hindsight('check', node.url);
    await node.close();

    expect(code).toBe(0);
    expect(out).toMatch(/DA monitoring +off, or missing at this node: no DA monitoring \(503\)\n/);
    expect(out).toContain(
      '- its DA submissions, because no DA monitoring (503): start the node with --evnode.rpc.enable_da_visualization\n',
    );
  });

  it('suggests no flag for a node that does not say that it submits: one that syncs by P2P alone has no list', async () => {
    const samples = loadSamples().filter(
      ({ node, path }) => node === 'DA monitoring disabled' && !path.endsWith('/GetMetadata'),
    );
    const node = await startSamplesNode(samples);
    const { out } = await hindsight('check', node.url);
    await node.close();

    expect(out).toContain(
      '- its DA submissions, because no DA monitoring (503): watch the aggregator of its chain, started with --evnode.rpc.enable_da_visualization; a node that syncs by P2P alone has no list',
    );
    expect(out).not.toContain('start the node with');
  });

  it('fails with a reason and a remedy if nothing answers', async () => {
    const node = await startSamplesNode([]);
    await node.close();
    const { code, error } = await hindsight('check', node.url);

    expect(code).toBe(1);
    const rest = error.replace(WARNING, '');
    expect(rest).toMatch(
      /^hindsight: Nothing from http:\/\/127\.0\.0\.1:\d+\/ could be recorded: .*ECONNREFUSED.*\n/,
    );
    expect(rest).toContain('Check that the node runs');
    expect(rest.trim().split('\n')).toHaveLength(2);
  });

  it('fails if a web page answers instead of a node', async () => {
    const site = await startHostileServer(answerOf('<!DOCTYPE html><p>Hello</p>', { type: 'text/html' }));
    const { code, error } = await hindsight('check', site.url);
    await site.close();

    expect(code).toBe(1);
    expect(error).toContain('does not answer as a rollup node');
  });

  it('prints what a node says without any byte that a terminal obeys', async () => {
    const row = {
      id: 'submission_1_1',
      height: 1,
      blob_size: 350,
      timestamp: '2026-01-01T00:00:00Z\u001b[2J',
      status_code: 'Err\u001b[31;1mRED\u001b]0;owned\u0007',
      num_blobs: 1,
      blob_ids: [],
      message: `x\u001b[2J\u001b[H\u009b31m\r\nFAKE LOG LINE\u001b]8;;http://evil/\u0007\u202e${'\u0301'.repeat(99)}`,
      namespace: '\u001b[8m\u0085',
    };
    const lists: Record<string, unknown> = {
      '/da/submissions': { submissions: [row], total: 1 },
      '/da/health': { status: '\u001b[5mHEALTHY\u202e', metrics: {} },
      '/status': { result: { node_info: { network: 'x\u202ey' } } },
    };
    const node = await startHostileServer((request, response) => {
      const body = lists[new URL(request.url ?? '/', 'http://x').pathname];
      if (body !== undefined) response.end(JSON.stringify(body));
      else response.writeHead(302, { location: 'http://x/%1b[2J\u009b31m' }).end('\u001b[2J');
    });
    const { code, out, error } = await hindsight('check', node.url, '--status', node.url);
    await node.close();

    expect(code).toBe(0);
    expect(out).toContain('Err?[31;1mRED?]0;owned?');
    expect(out).toContain('FAKE LOG LINE');
    expect(out).not.toMatch(/^FAKE/m);
    // oxlint-disable-next-line no-control-regex -- these are what it is about
    const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|[\p{Cf}\p{Zl}\p{Zp}]|\p{M}{7}/u;
    expect(out + error).not.toMatch(obeyed);
  });

  it('reports what is seen of the DA node, what is not and why, and the rights of the token', async () => {
    const node = await startReplayNode({ file: 'aggregator', speed: 0 });
    const da = await startDaDevnode({ blockTimeMs: 500 });
    const file = join(home.dataDir, 'da-token');
    const check = async (...args: string[]) =>
      (await hindsight('check', node.url, '--da-node', da.url, ...args)).out;
    try {
      writeFileSync(file, `a warning\n${await da.token('read')}\n`);
      const seen = await check('--da-token-file', file);
      expect(seen).toMatch(/DA node +answers\n/);
      expect(seen).toMatch(/Token +[a-z, ]*read; never expires\n/);
      expect(seen).toMatch(/Head +\d+, [\d.]+ s old\n/);
      expect(seen).toMatch(/Balance +\d+ utia\n/);
      expect(seen).toContain('+ the balance of its account');
      const both = await check('--da-token-file', file, '--da-consensus', da.consensusUrl);
      expect(both).toMatch(/Consensus node +answers\n +DA chain +devnode-da-1\n +Head +\d+, [\d.]+ s old\n/);
      expect(both).toContain('+ balances of accounts, each at a known DA height');
      const wrong = await check('--da-token-file', file, '--da-consensus', da.url);
      expect(wrong).toMatch(/- the head of the DA chain, because answered \d+: enable its API/);

      writeFileSync(file, await da.token('write'));
      const writing = await check('--da-token-file', file);
      expect(writing).toContain('WARNING: it may do more than read');
      expect(writing).not.toContain(await da.token('write'));

      const without = await check();
      expect(without).toContain(
        '- the head of the DA node, because no token was given (--da-token-file FILE): make one',
      );
    } finally {
      await da.stop();
      await node.close();
    }
    expect(await hindsight('check', node.url, '--da-token-file', file)).toMatchObject({ code: 2, out: '' });
  });

  it('tries the secret of the Engine API once, and says why it is refused', async () => {
    const node = await startReplayNode({ file: 'aggregator', speed: 0 });
    const layer = await startExecutionDevnode();
    const file = join(home.dataDir, 'jwt-secret');
    const check = async () =>
      (await hindsight('check', node.url, '--engine', layer.engineUrl, '--jwt-secret-file', file)).out;
    try {
      writeFileSync(file, `0x${layer.jwtSecret}\n`);
      const accepted = await check();
      expect(accepted).toMatch(/Engine API +accepts the secret\n/);
      expect(accepted).toMatch(/Client +go-ethereum 1\.17\.5-devnode\n/);
      expect(accepted).toMatch(/Clocks +equal\n/);
      expect(accepted).not.toContain(layer.jwtSecret);

      writeFileSync(file, 'ab'.repeat(32));
      expect(await check()).toMatch(/Engine API +refuses the secret: signature is invalid\n/);
      expect([...layer.calls.keys()]).toEqual(['engine_getClientVersionV1']);

      writeFileSync(file, 'no secret');
      expect(await check()).not.toContain('Engine API');
    } finally {
      await layer.stop();
      await node.close();
    }
    expect(await hindsight('check', node.url, '--engine', layer.engineUrl)).toMatchObject({
      code: 2,
      out: '',
    });
  });

  it('refuses a value that is no address', async () => {
    expect(await hindsight('check', 'localhost:7331')).toMatchObject({ code: 2, out: '' });
    expect(await hindsight('check')).toMatchObject({ code: 2, out: '' });
  });
});
