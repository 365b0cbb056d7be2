import { EventStore } from '../../src/event-log/event-store.js';
import { SystemClock } from '../../src/platform/clock.js';
import { startApi } from '../support/api-server.js';
import { useDatabase } from '../support/use-database.js';
import { startTestDatabase } from '../support/database.js';
import { createDataSource } from '../../src/platform/database.js';
import { projectAll } from '../support/read-models.js';
import { judge } from '../support/truth/judge.js';
import { liveThrough } from '../support/truth/live-through.js';
import { readTold } from '../support/truth/read-told.js';
import { SCRIPTS } from '../support/truth/scripts.js';
const SEED = Number(process.env['S']); const NAME = process.env['N'] ?? ''; const INDEXES = (process.env['I'] ?? '0').split(',').map(Number);
it('dbg', async () => {
  const database = await startTestDatabase();
  const ds = await createDataSource({ url: database.url, poolSize: 6 }).initialize();
  const store = new EventStore(ds);
  const startMs = new SystemClock().now() - 3_600_000;
  const kind = Object.keys(SCRIPTS).indexOf(NAME);
  const lived = [];
  for (const index of INDEXES) lived.push(await liveThrough(store, { id: `${NAME}-${index}`, script: SCRIPTS[NAME]!, seed: SEED * 10_000 + kind * 100 + index, startMs, lengthMs: 60_000 }));
  await projectAll(ds);
  const api = await startApi(database.url);
  let out = '';
  for (const { stage, blind } of lived) {
    const ids = stage.addresses.map(({ id }) => id);
    const told = await readTold((q, v) => api.read(q, v), stage.id, ids);
    const j = judge(stage, told, blind);
    if (j.faults.length === 0) { out += stage.id + ' fine\n'; continue; }
    out += j.faults.join('\n') + '\nblind ' + JSON.stringify(blind.map(b => [b.from - startMs, b.to - startMs])) + '\n';
    for (const id of ids) {
      const ev = await ds.query(`SELECT stream, type, round(extract(epoch from observed_at)*1000)::bigint - ${startMs} AS t, body FROM event WHERE stream IN ($1, $2) ORDER BY position`, [`${id}/submissions`, `${id}/node`]);
      for (const e of ev) { const b = e.body; const l = (b.looks?.submissions?.lists ?? b.looks?.lists); out += `${e.t} ${e.type} src=${b.source} state=${b.state} n=${b.rows?.length} ov=${b.overlap} anch=${b.anchored} from=${b.from && b.from - startMs} to=${b.to && b.to-startMs} lists=${JSON.stringify(l?.map((x: any) => [x.list, x.since - startMs, x.last - startMs]))}\n`; }
      const rows = await ds.query(`SELECT number, kind, list, round(extract(epoch from from_at)*1000)-${startMs} f, round(extract(epoch from to_at)*1000)-${startMs} t, round(extract(epoch from until_at)*1000)-${startMs} u, unstated FROM coverage_interval WHERE node=$1 ORDER BY number`, [id]);
      out += rows.map((r: any) => JSON.stringify(Object.values(r))).join('\n') + '\n';
      out += 'covered ' + JSON.stringify(told.nodes.get(id)!.covered.map((c: any) => [c.from - startMs, c.to - startMs])) + '\n';
      out += 'holes ' + JSON.stringify(told.nodes.get(id)!.holes.map((c: any) => [c.kind, c.from - startMs, c.to - startMs])) + '\n';
      out += 'posted ' + stage.posted.map((p: any) => `${p.at - startMs}:${JSON.stringify(p).match(/p\d|"[pq]"/)?.[0] ?? ''}`).join(' ').slice(0, 3000) + '\n';
    }
  }
  (await import('node:fs')).writeFileSync('/tmp/dbg.txt', out);
  await api.stop(); await ds.destroy(); await database.stop();
}, 600_000);
