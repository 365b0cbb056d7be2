import { createDataSource } from '../../src/platform/database.js';
import { inTransaction } from '../../src/platform/sql.js';
import { RecordProjection } from '../../src/projections/record.js';
import { startTestDatabase } from '../support/database.js';
import type { RecordedEvent } from '../../src/domain/events.js';
import { packBlocks } from '../../src/domain/pack-blocks.js';
import { decodeSubmissionRow } from '../../src/domain/submission-row.js';

it('bench', async () => {
  const database = await startTestDatabase();
  const ds = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
  try {
    const rowsOf = (n: number, from: number) => Array.from({ length: n }, (_, i) => { const k = from + i; return JSON.stringify({ id: `submission_${1000+(k>>1)}_1795239784`, height: 1000 + (k >> 1), blob_size: 331 + k % 7, timestamp: '2026-11-21T05:43:04.623951036Z', gas_price: 0, status_code: 'Success', num_blobs: 1, blob_ids: ['0400000000000000d81cbd2355dd166a25d30dc96cef5da6e15183bbd0ce0401838b2cb74f3109e3'], namespace: k % 2 ? '000000000000000000000000000000000000001628c730f46c460a762a' : '00000000000000000000000000000000000000657678d7514f28fead58' }); });
    const at = Date.parse('2026-11-21T05:43:05Z');
    const looks = { first: at, last: at, count: 1, longestGapMs: 0, nodeClockBefore: at - 1000, nodeClock: at };
    let position = 0n;
    const ev = (stream: string, type: string, body: object) => ({ position: ++position, stream, version: position, type, schema: 1, observedAt: BigInt(at) * 1000n, recordedAt: BigInt(at) * 1000n, body }) as unknown as RecordedEvent;
    const p = new RecordProjection();
    await inTransaction(ds, (q) => p.apply([ev('a/node', 'NodeRegistered', { url: 'x', chain: 'c' }), ev('a/node', 'NodeDescribed', { chain: 'c', servicePrefix: null, shape: null, aggregator: true, headerNamespace: '000000000000000000000000000000000000001628c730f46c460a762a', dataNamespace: '00000000000000000000000000000000000000657678d7514f28fead58' })], q));
    const mk = (n: number, from: number) => ev('a/submissions', 'SubmissionsObserved', { looks, overlap: 10, anchored: true, source: 0, ring: 0, newestFirst: true, ringSize: 100, firstSequence: from + 1, rows: rowsOf(n, from) });
    let from = 0;
    for (const [n, perBatch, rounds] of [[100, 1, 50], [100, 1, 200], [100, 20, 20], [10, 1, 200]] as const) {
      const batches = Array.from({ length: rounds }, () => Array.from({ length: perBatch }, () => { const e = mk(n, from); from += n; return e; }));
      const c = process.cpuUsage(); const t = performance.now();
      for (const b of batches) await inTransaction(ds, (q) => p.apply(b, q));
      const cpu = process.cpuUsage(c); const total = n * perBatch * rounds;
      console.log(n, perBatch, 'wall us/row', ((performance.now() - t) * 1000 / total).toFixed(1), 'node cpu us/row', ((cpu.user + cpu.system) / total).toFixed(1));
    }
    const cpuOf = (name: string, f: () => void, n: number) => { const c = process.cpuUsage(); f(); const d = process.cpuUsage(c); console.log(name, ((d.user + d.system) / n).toFixed(2)); };
    const rr = rowsOf(20000, 0); cpuOf('decode cpu', () => { for (const r of rr) decodeSubmissionRow(r); }, 20000); cpuOf('parse cpu', () => { for (const r of rr) JSON.parse(r); }, 20000);
    { const c0 = process.cpuUsage(); for (let i = 0; i < 300; i++) await inTransaction(ds, async (q) => { await q('SELECT 1'); }); const d = process.cpuUsage(c0); console.log('empty tx cpu us', ((d.user + d.system) / 300).toFixed(0)); }
    { const c0 = process.cpuUsage(); for (let i = 0; i < 300; i++) await inTransaction(ds, async (q) => { await q('SELECT 1'); await q('SELECT 1'); await q('SELECT 1'); await q('SELECT 1'); await q('SELECT 1'); await q('SELECT 1'); await q('SELECT 1'); await q('SELECT 1'); await q('SELECT 1'); await q('SELECT 1'); await q('SELECT 1'); }); const d = process.cpuUsage(c0); console.log('11 query tx cpu us', ((d.user + d.system) / 300).toFixed(0)); }
    const rows = rowsOf(20000, 0); const t = performance.now(); for (const r of rows) decodeSubmissionRow(r); console.log('decode us', ((performance.now() - t) / 20).toFixed(1));
    // blocks
    const z = (n: number) => n.toString(16).padStart(64, '0');
    const blocks = (h0: number, n: number) => Array.from({ length: n }, (_, i) => { const h = h0 + i; return { header: { versionBlock: 1n, versionApp: 1n, height: BigInt(h), timeNs: 1795239784000000000n + BigInt(h) * 1000000000n, lastHeaderHash: z(h - 1), dataHash: z(h * 7), appHash: z(h * 3), proposerAddress: z(1), validatorHash: z(2), chainId: 'c', unknownFields: false }, signature: z(h) + z(h), signerAddress: z(1), signerPubKey: '08011220' + z(5), hash: z(h), txCount: 2, txBytes: 100, headerBlobBytes: 367, dataBlobBytes: 300, headerDaHeight: BigInt(100000 + (h >> 1)), dataDaHeight: BigInt(100000 + (h >> 1)), checks: { link: 'PASSED', hash: 'PASSED', signature: 'PASSED', proposer: 'PASSED', data: 'PASSED' } } as never; });
    let h = 1; const evs: RecordedEvent[] = [];
    for (let i = 0; i < 60; i++) { evs.push(ev('a/blocks', 'BlocksObserved', { chain: 'c', lineage: 1, ...packBlocks(blocks(h, 500)) })); h += 500; evs.push(ev('a/node', 'NodeWatched', { looks: { submissions: { ...looks, last: at + i * 1000 } } })); }
    for (const e of evs) (e as { observedAt: bigint }).observedAt += position;
    const c = process.cpuUsage(); const t2 = performance.now();
    await inTransaction(ds, (q) => p.apply(evs, q));
    const cpu = process.cpuUsage(c);
    console.log('blocks', h - 1, 'wall us', ((performance.now() - t2) * 1000 / (h - 1)).toFixed(1), 'cpu us', ((cpu.user + cpu.system) / (h - 1)).toFixed(1), process.memoryUsage().rss >> 20);
    console.log(await ds.query('select evidence, count(*) from submission group by 1'), await ds.query('select * from inclusion_walk'), await ds.query('select count(*) from inclusion_open'));
    console.log(await ds.query(`select relname, pg_relation_size(oid) as h, pg_indexes_size(oid) i, reltuples from pg_class where relname in ('submission','block','inclusion_open')`));
  } finally { await ds.destroy(); await database.stop(); }
}, 120000);
