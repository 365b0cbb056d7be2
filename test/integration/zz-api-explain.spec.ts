import { startApi, type ApiServer } from '../support/api-server.js';
import { appendFileSync, readFileSync, statSync } from 'node:fs';

describe('explain', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApi('postgres://postgres@127.0.0.1:5499/big');
  });
  afterAll(async () => {
    await api?.stop();
  });
  it('a', async () => {
    const S = (args: string) =>
      `{ submissions(${args}) { nodes { id chain node { id } daHeight } pageInfo { endCursor } } }`;
    const B = (args: string) =>
      `{ blocks(${args}) { nodes { height node { id } lastHeaderHash } pageInfo { endCursor } } }`;
    const mid = (
      await api.read<any>(
        S(
          'order: OBSERVED_ASC, first: 1, filter: {from: "2026-01-02T10:00:00Z", to: "2026-01-02T11:00:00Z"}',
        ),
      )
    ).submissions.pageInfo.endCursor;
    const midNode = (
      await api.read<any>(
        S(
          'order: OBSERVED_ASC, first: 1, filter: {nodes: ["node-7"], from: "2026-01-02T10:00:00Z", to: "2026-01-02T11:00:00Z"}',
        ),
      )
    ).submissions.pageInfo.endCursor;
    const midBlock = (await api.read<any>(B('first: 1, filter: {heightTo: "5000"}'))).blocks.pageInfo
      .endCursor;
    const list = [
      S('first: 50'),
      S(`first: 50, after: "${mid}"`),
      S(`last: 50, before: "${mid}"`),
      S(`order: OCCURRED_DESC, first: 50, after: "${mid}"`),
      S('order: OCCURRED_ASC'),
      S('filter: {nodes: ["node-7"]}'),
      S(`filter: {nodes: ["node-7"]}, after: "${midNode}"`),
      S(`filter: {nodes: ["node-7"]}, after: "${mid}"`),
      S('filter: {nodes: ["node-7"]}, order: OCCURRED_DESC'),
      S('filter: {nodes: ["node-7", "node-8"]}'),
      S('filter: {chains: ["chain-3"]}'),
      S('filter: {statuses: [ERROR]}'),
      S('filter: {evidence: [RECONSTRUCTED]}'),
      S('filter: {evidence: [UNREFERENCED]}'),
      S('filter: {message: "WebSocket"}'),
      S('filter: {namespaces: ["0000000000000000000000000000000000000000000000000000000003"]}'),
      S('filter: {daHeightFrom: 1000, daHeightTo: 1010}'),
      S('filter: {from: "2026-01-02T10:00:00Z", to: "2026-01-02T11:00:00Z"}'),
      S('filter: {from: "2026-01-02T10:00:00Z", to: "2026-01-02T11:00:00Z"}, order: OCCURRED_DESC'),
      S('filter: {nodes: ["node-7"], from: "2026-01-02T10:00:00Z", to: "2026-01-02T11:00:00Z"}'),
      S('filter: {nodes: ["node-7"], statuses: [TOO_BIG]}'),
      '{ submission(id: "node-7~77") { id node { id } } }',
      '{ submission(id: "chain-3~1~HEADER~3007") { id } }',
      B('first: 50'),
      B(`first: 50, after: "${midBlock}"`),
      B('filter: {nodes: ["node-7"]}'),
      B(`filter: {nodes: ["node-7"]}, after: "${midBlock}"`),
      B('filter: {chains: ["chain-3"]}'),
      B('filter: {included: false}'),
      B('filter: {included: false}, order: HEIGHT_ASC'),
      B('filter: {nodes: ["node-7"], included: false}, order: HEIGHT_ASC'),
      B('filter: {from: "2026-01-02T10:00:00Z", to: "2026-01-02T11:00:00Z"}'),
      B('filter: {nodes: ["node-7"], from: "2026-01-02T10:00:00Z", to: "2026-01-02T11:00:00Z"}'),
      B('filter: {heightFrom: 100, heightTo: 120}'),
      '{ block(node: "node-7", height: 77) { hash } }',
      '{ block(node: "node-7", hash: "00000000000000000000000000000000000000000000000000000000000000ff") { hash } }',
      '{ losses { nodes { id node { id } explanation } } }',
      '{ losses(filter: {nodes: ["node-7"], from: "2026-01-02T10:00:00Z", to: "2026-01-02T11:00:00Z"}) { nodes { id } } }',
    ];
    const log = '/tmp/apidev/log';
    let out = '';
    for (const query of list) {
      await api.ask(query);
      const before = statSync(log).size;
      const t0 = performance.now();
      const answer = await api.ask<any>(query);
      const ms = performance.now() - t0;
      await new Promise((r) => setTimeout(r, 30));
      const text = readFileSync(log, 'utf8').slice(before);
      const rows = (Object.values(answer.data ?? {})[0] as any)?.nodes?.length;
      out +=
        `\n=== ${ms.toFixed(1)} ms rows=${rows} ${query.slice(0, 160)} ${JSON.stringify(answer.errors ?? '')}\n` +
        (
          text.match(
            /(Seq Scan on \w+[^\n]*rows=[^\n]*|Index[^\n]*Scan[^\n]*|Bitmap[^\n]*|Rows Removed by Filter: \d+|duration: [^\n]*|Incremental Sort[^\n]*|Sort  [^\n]*)/g,
          ) ?? []
        ).join('\n') +
        '\n';
    }
    appendFileSync('/tmp/apidev/explain.txt', out);
  });
});
