import type { DataSource } from 'typeorm';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { insertRows } from '../support/read-model-rows.js';
import { HEADER_NAMESPACE } from '../support/record-log.js';
import type { CommandResult } from '../support/command-here.js';
import { ServiceHome } from '../support/service-process.js';
import { SmallLog } from '../support/small-log.js';

const MINUTE = 60_000;
const FIRST = '2026-11-20T01:00:00Z';

/** Text with which a node could break out of a table, out of code or into a page, or reverse the line. */
const HOSTILE =
  'dead | layer` <img src=x onerror=alert(1)> \u202e[link](http://evil.example) @all\n# head &lt; \\| end';

describe('hindsight incident', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let home: ServiceHome;
  const log = new SmallLog();

  const run = (...args: string[]): Promise<CommandResult> =>
    home.runHere(['incident', ...args], database.url);

  beforeAll(async () => {
    home = new ServiceHome();
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
    log.register('alpha', 'lab-1').describe('alpha', 'lab-1');
    log.now = 10_000;
    const failed = {
      height: 0,
      blob_size: 331,
      status_code: 'Error',
      num_blobs: 1,
      namespace: HEADER_NAMESPACE,
    };
    log.rows('alpha', [
      { da: 5, at: 1_000 },
      JSON.stringify({ ...failed, timestamp: '2026-11-21T00:00:02Z', message: 'connection refused' }),
      JSON.stringify({ ...failed, timestamp: '2026-11-21T00:00:03Z', message: 'connection refused' }),
    ]);
    log.now = 12_000;
    log.rows('alpha', [
      JSON.stringify({ ...failed, timestamp: '2026-11-21T00:00:11Z', message: 'connection refused' }),
    ]);
    await appendLog(dataSource, log.events);
    await new RollUp(dataSource).run();
    // The day before has 2 minutes of trouble, 4 of calm, 3 of trouble, then calm.
    const begin = Date.parse(FIRST);
    const at = (minute: number): string => new Date(begin + minute * MINUTE).toISOString();
    const row = (from: number, to: number, state: string, reason: string, differed = 0) => ({
      node: 'alpha',
      component: 'DA',
      from_at: at(from),
      to_at: at(to),
      state,
      rule: 'frozen',
      reason,
      claim: 'healthy',
      claim_differs: differed > 0,
      differed_ms: differed,
      from_position: 1,
      to_position: null,
      setting: null,
      limit_value: null,
    });
    await insertRows(dataSource, 'health_interval', [
      row(-60, 0, 'HEALTHY', 'all is well'),
      row(0, 2, 'WARNING', 'it is late'),
      row(2, 6, 'HEALTHY', 'it works'),
      // Later events added to the same interval.
      { ...row(6, 9, 'CRITICAL', HOSTILE), to_position: 2 },
      { ...row(6, 9, 'CRITICAL', HOSTILE, 150_000), from_position: 2 },
      { ...row(9, 30, 'HEALTHY', 'it works again'), from_position: 2 },
    ]);
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await home?.clear();
    await database?.stop();
  });

  it('reports the trouble around a time, joined over a short calm', async () => {
    const { code, out, error } = await home.run(['incident', 'alpha', '--at', '2026-11-20T01:03:00Z'], {
      databaseUrl: database.url,
    });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out.split('\n')[0]).toBe('# CRITICAL: finality at alpha (lab-1)');
    expect(out).toContain(
      'Since 2026-11-20T01:00:00Z, over at 2026-11-20T01:09:00Z after 9 min. Based on records up to 20',
    );
    expect(out).toContain('- "healthy": false for 2 min 30 s.');
    expect(out).toContain('failures before the first sign are not included.');
    expect(out).toContain('Submissions may be missing: attempts, bytes and fees are lower bounds.');
    expect(out).toContain('| attempts | unknown |');
    expect(out.split('\n').filter((line) => line.startsWith('| 2026-11-20'))).toEqual([
      '| 2026-11-20T01:00:00.000Z | 1 | WARNING: it is late |',
      '| 2026-11-20T01:02:00.000Z | 1 | HEALTHY: it works |',
      expect.stringContaining('| 2026-11-20T01:06:00.000Z | 1 | CRITICAL: dead \\| layer'),
      '| 2026-11-20T01:09:00.000Z | 2 | HEALTHY: it works again |',
    ]);
  });

  it('lists incidents as JSON, and prints a post-mortem as JSON', async () => {
    const { incidents, hasMore } = JSON.parse((await run('--json')).out) as {
      incidents: Record<string, unknown>[];
      hasMore: boolean;
    };
    expect(hasMore).toBe(false);
    const [newest] = incidents.filter(({ rule }) => rule === 'frozen');
    expect(newest).toMatchObject({
      chain: 'lab-1',
      nodes: ['alpha'],
      component: 'DA',
      severity: 'CRITICAL',
      from: '2026-11-20T01:00:00.000Z',
      to: '2026-11-20T01:09:00.000Z',
      acknowledgedBy: null,
    });
    expect(await run('--format', 'json')).toEqual(await run('--json'));
    const one = JSON.parse((await run(String(newest?.['id']), '--json')).out) as Record<string, unknown>;
    expect(Object.keys(one)).toContain('questions');
  });

  it('prints a post-mortem for others without names and addresses', async () => {
    const { out: json } = await run('alpha', '--at', '2026-11-20T01:00:30Z', '--format', 'json');
    const { id: incident } = JSON.parse(json) as { id: string };
    const body = { incident, note: 'restarted it', by: 'Eve Adams' };
    const event = { type: 'IncidentNoted', observedAt: Date.parse(FIRST), body } as const;
    await new EventStore(dataSource).append({
      stream: 'alpha/incidents',
      expectedVersion: 0n,
      events: [event],
    });
    await dataSource.query('UPDATE projection_checkpoint SET position = (SELECT position FROM log_head)');
    expect((await run(incident)).out).toContain('Eve Adams');
    for (const format of ['markdown', 'json', 'html']) {
      const { out, code } = await run(
        'alpha',
        '--at',
        '2026-11-20T01:00:30Z',
        '--format',
        format,
        '--redact',
      );
      expect(code).toBe(0);
      expect(out).toContain('node-1');
      expect(out).not.toMatch(/alpha|lab-1|evil\.example|Eve/);
    }
    expect(await run('--redact')).toMatchObject({ code: 2 });
  });

  it('prints no node text as markup, and nothing that reverses the line', async () => {
    const { out } = await run('alpha', '--at', '2026-11-20T01:07:00Z');
    expect(out).not.toContain('\u202e');
    expect(out).not.toMatch(/(?<!\\)<img|(?<!\\)\[link|(?<!\\)@all|\n# head|http:\/\/evil/);
    expect(out).toContain('dead \\| layer\\`');
  });

  it('reports any interval, with causes and remedies, and with queries that return the same figures', async () => {
    const asked = ['alpha', '--from', '2026-11-21T00:00:00Z', '--to', '2026-11-21T00:00:05Z'];
    const { out } = await run(...asked);
    expect(out).toContain('- The DA endpoint cannot be reached. 2 failures from 2026-11-21T00:00:02Z to ');
    expect(out).toContain('| attempts | 3 |');
    const question = /```graphql\n([^]*?)```/.exec(out)?.[1] ?? '';
    const api = await startApi(database.url);
    const answer = api.read<{ intervalReport: Record<string, unknown> }>(question);
    const { intervalReport } = await answer;
    await api.stop();
    expect(intervalReport).toMatchObject({ attempts: '3', successes: '1', failures: '2' });
    expect((await run(...asked, '--format', 'html')).out).toContain(
      '<pre><code class="language-graphql">{ intervalReport(node: &quot;alpha&quot;',
    );
    const json = JSON.parse((await run(...asked, '--format', 'json')).out) as {
      from: string;
      questions: string;
      figures: Record<string, unknown>;
    };
    expect(json.from).toBe('2026-11-21T00:00:00.000Z');
    expect(json.questions).toMatch(/^\{ intervalReport\(node: "alpha"/);
    for (const name of ['attempts', 'successes', 'failures', 'sizeBytes', 'feeMin', 'lostMin', 'coverage'])
      expect([name, json.figures[name]]).toEqual([name, intervalReport[name]]);
  });

  it('says neither that trouble began nor that it is over for a time in its middle', async () => {
    const { out } = await run('alpha', '--from', '2026-11-20T01:07:00Z', '--to', '2026-11-20T01:08:30Z');
    const [title, , head = ''] = out.split('\n');
    expect(title).toMatch(/^# CRITICAL: /);
    expect(head).toContain('the 1 min 30 s from 2026-11-20T01:07:00Z to 2026-11-20T01:08:30Z; trouble may');
    expect(head).not.toMatch(/since|over at/i);
    const upToNow = (await run('alpha', '--from', '2026-11-20T01:07:00Z')).out.split('\n')[2];
    expect(upToNow).toMatch(/ from 2026-11-20T01:07:00Z to 20\S+Z; trouble may have begun earlier/);
  });

  it('lists the latest incidents, and reports one by its id, as Markdown and as a page', async () => {
    const { code, out } = await run();
    expect(code).toBe(0);
    const id = `Incident:alpha:DA:${Date.parse(FIRST)}000000`;
    const [head = '', present = '', row = ''] = out.split('\n');
    expect(head).toMatch(/^from +to +lasted +severity +affected +occurrences +rule +id$/);
    // Today's log has an incident of its own.
    expect(present).toContain('ongoing');
    expect(row.split(/ {2,}/).slice(0, 6)).toEqual([
      '2026-11-20T01:00:00Z',
      '2026-11-20T01:09:00Z',
      '9 min',
      'CRITICAL',
      'finality at alpha',
      expect.any(String),
    ]);
    expect(row).toContain(id);
    expect((await run('nobody')).error).toContain('There is no node "nobody".');
    const isTold = ({ out }: CommandResult): string => out.replaceAll(/(up to|knownAt:) "?20\S+/g, '');
    const byId = await run(id);
    expect(isTold(byId)).toBe(isTold(await run('alpha', '--at', '2026-11-20T01:03:00Z')));
    const page = (await run(id, '--format', 'html')).out;
    expect(page).toMatch(/^<!doctype html>[^]*<h1>CRITICAL: finality at alpha \(lab-1\)<\/h1>/);
    expect(page).toContain('dead | layer` &lt;img src=x');
    expect(page).toContain(String.raw`[link](http://evil.example) @all # head &amp;lt; \| end</td>`);
    expect(page).not.toMatch(/<img|<script|\u202e|href/);
  });

  it('prints queries about an ongoing incident that return the same when more is known', async () => {
    const before = await startApi(database.url);
    const { incidents } = await before.read<{ incidents: { nodes: { id: string }[] } }>(
      '{ incidents(filter: { open: true, component: DA }) { nodes { id } } }',
    );
    await before.stop();
    const { out } = await run(incidents.nodes[0]?.id ?? '');
    expect(out).toContain('| attempts | 1 |');
    const question = /```graphql\n([^]*?)```/.exec(out)?.[1] ?? '';
    const unbound = question.replaceAll(/, knownAt: "[^"]*"/g, '');
    log.now = 21_000;
    const written = log.events.length;
    log.rows('alpha', [{ da: 6, at: 20_000 }]);
    await appendLog(dataSource, log.events.slice(written));
    const api = await startApi(database.url);
    const [proof, now] = [await api.read(question), await api.read(unbound)];
    await api.stop();
    expect(proof).toMatchObject({ intervalReport: { attempts: '1', successes: '0', failures: '1' } });
    expect(now).toMatchObject({ intervalReport: { attempts: '2' } });
  });

  it('says why it cannot report', async () => {
    expect(await run('--at', FIRST)).toMatchObject({ code: 2, out: '' });
    expect(await run('Incident:alpha:DA:1')).toMatchObject({ code: 2, out: '' });
    expect(await run('alpha', '--at', 'x')).toMatchObject({ code: 2, out: '' });
    expect(await run('nobody', '--at', FIRST)).toMatchObject({ code: 2, out: '' });
    expect(await run('alpha', '--from', FIRST, '--to', FIRST)).toMatchObject({ code: 2, out: '' });
    const calm = await run('alpha', '--at', '2026-11-20T01:20:00Z');
    expect(calm).toMatchObject({ code: 1, out: '' });
    expect(calm.error).toContain('No trouble of this node is recorded at that time');
    const toCome = await run('alpha', '--at', '2096-01-01T00:00:00Z');
    expect(toCome).toMatchObject({ code: 2, out: '' });
    expect(toCome.error).toContain('is in the future');
    expect(await run('alpha', '--from', '2096-01-01')).toMatchObject({ code: 2, out: '' });
    const long = await run('alpha', '--from', '2026-01-01', '--to', '2026-03-01');
    expect(long).toMatchObject({ code: 1, out: '' });
    expect(long.error).toContain('An interval can have at most 31 days');
  });
});
