import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { request, Agent } from 'undici';
import { EventStore } from '../../src/event-log/event-store.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { BlocksObserver } from '../../src/observe/blocks.observer.js';
import { LookBook } from '../../src/observe/look-book.js';
import { createDataSource } from '../../src/platform/database.js';
import { HttpClient } from '../../src/platform/http.js';
import { SystemClock } from '../../src/platform/clock.js';
import { buildChain, writeBlock } from '../support/chain-builder.js';
import { startTestDatabase } from '../support/database.js';
it('bench', async () => {
  const N = 6000;
  const chain = buildChain({ chainId: 'b-1', count: N }).map((b) => ({ ...b, headerDaHeight: 4n, dataDaHeight: 4n }));
  writeFileSync('/tmp/bodies.json', JSON.stringify(chain.map(writeBlock)));
  const child = spawn(process.execPath, ['-e', `
    const b=JSON.parse(require('fs').readFileSync('/tmp/bodies.json')).map(x=>Buffer.from(x));
    require('http').createServer((q,r)=>{let t='';q.on('data',c=>t+=c);q.on('end',()=>{const m=q.url.split('/').pop();
     if(m==='GetState'){r.writeHead(200,{'content-type':'application/json'});return r.end('{"state":{"chainId":"b-1","initialHeight":"1","lastBlockHeight":"${N}","lastBlockTime":"2026-11-21T05:43:03Z"}}')}
     if(m!=='GetBlock'){r.writeHead(404,{'content-type':'application/json'});return r.end('{"code":"not_found","message":"x"}')}
     const h=JSON.parse(t).height; const body=b[(h||${N})-1]; r.writeHead(200,{'content-type':'application/json','content-length':body.length}); r.end(body)})}).listen(39871,'127.0.0.1',()=>console.log('up'))`]);
  await new Promise((r) => child.stdout.once('data', r));
  const db = await startTestDatabase();
  const ds = await createDataSource({ url: db.url }).initialize();
  const http = new HttpClient(); const clock = new SystemClock();
  const url = 'http://127.0.0.1:39871';
  const agent = new Agent({ connections: 8 });
  const bare = async () => { let n = 1; const t = performance.now(); await Promise.all(Array.from({ length: 8 }, async () => { while (n <= N) { const h = n++; const r = await request(url + '/evnode.v1.StoreService/GetBlock', { method: 'POST', dispatcher: agent, headers: { 'content-type': 'application/json' }, body: `{"height":${h}}` }); await r.body.dump(); } })); return performance.now() - t; };
  for (let round = 0; round < 2; round++) {
    const c0 = process.cpuUsage(); const b = await bare(); const c1 = process.cpuUsage(c0); process.stdout.write(`bare cpu ${(c1.user+c1.system)/N|0}\n`);
    const store = new EventStore(ds); const api = new NodeApi(http, clock, { url, service: 'evnode.v1' });
    const o = new BlocksObserver({ node: { id: 'x' + round, url, record: 'none', backfillFrom: 'first' }, clock, store, book: new LookBook(), api, logger: pino({ level: 'silent' }) });
    const t = performance.now(); const cpu = process.cpuUsage(); const s = new AbortController().signal;
    while ((await o.look(s)) === 0);
    const u = performance.now() - t; const c = process.cpuUsage(cpu);
    const [{ sum }] = await ds.query(`select sum(pg_column_size(body)) from event where stream='x${round}/blocks' and type='BlocksObserved'`);
    process.stdout.write(`bare ${(b / N * 1000).toFixed(0)} us/block, observer ${(u / N * 1000).toFixed(0)}, ratio ${(b / u).toFixed(2)}, cpu ${(c.user + c.system) / N | 0} us/block, bytes/header ${sum / N}\n`);
  }
  child.kill(); await agent.destroy(); await http.close(); await ds.destroy(); await db.stop();
}, 120000);
