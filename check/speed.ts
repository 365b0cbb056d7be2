import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { createDataSource } from '../src/platform/database.js';
import { onConnection } from '../src/platform/sql.js';
import { SmallLog } from '../test/support/small-log.js';
const { RecordProjection } = (await import(process.env['PROJ'] ?? '')) as any;
const FOLDER = process.env['CENSUS_FOLDER'] ?? '';
if (!existsSync(FOLDER)) mkdirSync(FOLDER);
chmodSync(FOLDER, 0o755);
process.env['HINDSIGHT_TEST_FOLDER'] = FOLDER;
const { startTestDatabase } = (await import('../test/support/database.js')) as any;
const { url, stop } = await startTestDatabase();
const dataSource = await createDataSource({ url, poolSize: 2 }).initialize();

const STAT = new Map<string, any>();
const SHAPES: any = {
  'live: 1,000 nodes, 2 rows an event, 334 events a transaction': { nodes: 1_000, polls: 30, rows: 2, batch: 334 },
  'rebuild: 10 nodes, 100 rows an event, 1,000 events a transaction': { nodes: 10, polls: 60, rows: 100, batch: 1_000 },
  'rebuild: 3 nodes of one chain with the same list': { nodes: 3, polls: 100, rows: 50, batch: 1_000, chain: 'one' },
};
function make({ nodes, polls, rows, chain }: any): SmallLog {
  const log = new SmallLog();
  for (let n = 0; n < nodes; n++) log.register(`n${n}`, chain ?? `c${n}`).describe(`n${n}`, chain ?? `c${n}`);
  for (let poll = 0; poll < polls; poll++) {
    log.now += 3_000;
    const base = 1_000 + poll * rows;
    for (let n = 0; n < nodes; n++) {
      log.rows(`n${n}`, Array.from({ length: rows }, (_, i) => ({ da: base + i, at: log.now - 1_000 + i, blobs: 1, bytes: 331, kind: 'header' as const })));
      log.blocks(`n${n}`, chain ?? `c${n}`, Array.from({ length: rows }, (_, i) => ({ height: 1 + poll * rows + i, headerDa: base + i })));
    }
    if (poll % 10 === 9) for (let n = 0; n < nodes; n++) log.watch(`n${n}`);
  }
  return log;
}
for (const [name, shape] of Object.entries<any>(SHAPES)) {
  if (process.argv[2] && !name.includes(process.argv[2])) continue;
  const { events } = make(shape);
  const projection: any = new RecordProjection();
  await dataSource.query(`TRUNCATE ${projection.tables.join(', ')}, roll_up_mark`);
  const handled = events.filter(({ type }: any) => projection.handles.includes(type));
  let t = performance.now(); let began = 0;
  for (let at = 0; at < handled.length; at += shape.batch)
    await onConnection(dataSource, async (query: any) => {
      if (!began && at > shape.nodes * 4) { began = at; console.log('start', Math.round(performance.now() - t), 'ms'); t = performance.now(); STAT.clear(); }
      await query('BEGIN');
      const q2: any = async (sql: string, params: any) => { const a = performance.now(); const r = await query(sql, params); const d = performance.now() - a; const k = sql.replace(/\s+/g, ' ').slice(0, 90); const e = STAT.get(k) ?? [0, 0]; e[0]++; e[1] += d; STAT.set(k, e); return r; };
      await projection.apply(handled.slice(at, at + shape.batch), q2);
      await query('COMMIT');
    });
  const s = (performance.now() - t) / 1_000;
  const [{ count }] = await dataSource.query('SELECT count(*)::int AS count FROM submission WHERE evidence = 1');
  const all = Math.round((handled.length - began) / handled.length * shape.nodes * shape.polls * shape.rows);
  console.log(Math.round(s*1000), 'ms'); console.log(`${process.env['WHO']} | ${name} | ${Math.round(all / s)} rows/s | confirmed ${count} of ${all}`);
}
const T = [...STAT.values()].reduce((a, [, t]) => a + t, 0); console.log('sql total', Math.round(T)); for (const [k, [n, t]] of [...STAT].sort((a, b) => b[1][1] - a[1][1]).slice(0, 22)) console.log(n, Math.round(t), k);
await dataSource.destroy();
await stop?.();
process.exit(0);
