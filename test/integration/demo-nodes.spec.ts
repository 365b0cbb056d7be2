import { createServer } from 'node:http';
import { parse } from 'graphql';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoGuide } from '../../src/cli/demo-guide.js';
import { startDemoNodes } from '../../src/cli/demo-nodes.js';

describe('nodes of the demo', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hindsight-demo-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('runs two aggregators and a follower, and takes free ports where its own are in use', async () => {
    const occupant = createServer();
    await new Promise<void>((resolve) => {
      occupant.once('error', () => resolve()).listen(17_331, '127.0.0.1', resolve);
    });
    const nodes = await startDemoNodes(directory, Date.now());
    const [alpha, beta, follower] = nodes.list;
    expect(nodes.list.map(({ id }) => id)).toEqual(['alpha', 'beta', 'alpha-follower']);
    expect(alpha!.node.url).not.toBe('http://127.0.0.1:17331');
    while (!follower!.node.chain.head) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(follower!.node.chain.head.hash).toBe(
      alpha!.node.chain.find(follower!.node.chain.head.header.height)!.hash,
    );
    expect(beta!.node.chain.head!.header.chainId).toBe('demo-beta');
    await nodes.close();
    occupant.close();
    await expect(fetch(`${beta!.node.url}/health/live`)).rejects.toThrow();
  });

  it('continues with the chains of the previous demo', async () => {
    const before = await startDemoNodes(directory, Date.now());
    const { head } = before.list[0]!.node.chain;
    await before.close();
    const after = await startDemoNodes(directory, Date.now());
    expect(after.list[0]!.node.chain.find(head!.header.height)).toMatchObject({ hash: head!.hash });
    expect(after.list[0]!.node.ring.list()).toEqual([]);
    await after.close();
  });

  it('takes the ports that it is given, and says where one of them is in use', async () => {
    // Below the ports that the system assigns.
    const first = 20_000 + (process.pid % 1_000) * 10;
    const nodes = await startDemoNodes(directory, Date.now(), first);
    expect(nodes.list.map(({ node }) => Number(new URL(node.url).port) - first)).toEqual([0, 10, 20]);
    expect(nodes.list.map(({ node }) => Number(new URL(node.statusUrl).port) - first)).toEqual([1, 11, 21]);
    const other = mkdtempSync(join(tmpdir(), 'hindsight-demo-'));
    await expect(startDemoNodes(other, Date.now(), first)).rejects.toThrow(
      `Port ${first} or ${first + 1} is in use.`,
    );
    rmSync(other, { recursive: true });
    await nodes.close();
  });

  it('prints queries that a shell and GraphQL understand', () => {
    const serviceUrl = 'http://127.0.0.1:4400';
    const guide = demoGuide({ serviceUrl, nodes: [], paint: (_style, text) => text });
    expect(guide).toContain('http://127.0.0.1:4400/chain/made-up-year');
    const bodies = [...guide.matchAll(/-d '([^']+)'/g)].map(([, body]) => body ?? '');
    expect(bodies).toHaveLength(5);
    for (const body of bodies) {
      expect(() => parse((JSON.parse(body) as { query: string }).query)).not.toThrow();
    }
    expect(guide).not.toContain('\u001b');
  });
});
