import type { CommandResult } from '../support/command-here.js';
import { FrozenWorld } from '../support/frozen-world.js';
import { HttpSink } from '../support/http-sink.js';

const PATIENCE_MS = 240_000;

describe('hindsight alerts', () => {
  const world = new FrozenWorld();
  let sink: HttpSink;
  let config: string;

  const run = (...args: string[]): Promise<CommandResult> =>
    world.home.runHere(['alerts', ...args, '--config', config], world.url);

  beforeAll(async () => {
    await world.start();
    await world.heal();
    sink = await HttpSink.start();
    config = world.write(`{ id: ops, webhook: "${sink.url}/hook" }`);
  });

  afterAll(async () => {
    await world.stop();
    await sink?.stop();
  });

  it(
    'replays and lists alerts, and sends a trial',
    async () => {
      const { out, error } = await run('--dry-run', '--from', '2026-01-01');
      expect(error).toBe('');
      expect(out).toMatch(
        /\nNot evaluated, [^\n]*:\n {2}blocks-pile-up: the number of waiting blocks [^\n]*\n\nConditions other than health/,
      );
      expect(out.split('\n').filter((line) => line.includes('Finality is frozen'))).toEqual([
        expect.stringContaining('CRITICAL n1: Finality is frozen (chain alpha-1)'),
        expect.stringContaining('RESOLVED n1: Finality is frozen (chain alpha-1)'),
      ]);
      expect((await run('--dry-run', '--from', '2026-01-01', '--to', '2026-01-02')).out).toMatch(
        /^Nothing would have been sent\.\n\nNot evaluated, /,
      );
      const listed = await world.home.run(['alerts', 'list', '--config', config], { databaseUrl: world.url });
      expect(listed).toMatchObject({ code: 0, error: '' });
      expect(listed.out).toMatch(/finality-frozen[^]*No alert is open\.\n$/);
      const json = JSON.parse((await run('list', '--json')).out) as Record<string, unknown[]>;
      expect(Object.keys(json)).toEqual(['rules', 'notEvaluated', 'silences', 'open']);
      expect(json['rules']).toContainEqual({
        name: 'finality-frozen',
        severity: 'CRITICAL',
        forSeconds: 60,
        condition: 'finality frozen',
        scope: {},
      });
      expect([json['silences'], json['open']]).toEqual([[], []]);
      expect(await run('test', 'ops')).toEqual({ code: 0, out: 'ops accepted the message.\n', error: '' });
      expect(JSON.parse(sink.taken.at(-1)?.body ?? '')).toMatchObject({
        rule: 'trial',
        status: 'RAISED',
        title: expect.stringMatching(/^WARNING: A trial, since \d\d:\d\d UTC$/) as unknown,
        text: expect.stringContaining('A test of this destination.\nNothing is wrong.\n') as unknown,
      });
      sink.status = 401;
      expect(await run('test')).toMatchObject({
        code: 1,
        error: expect.stringContaining('ops (it answered 401)') as unknown,
      });
      expect(await run('test', 'nobody')).toMatchObject({ code: 2, out: '' });
      expect(await run()).toMatchObject({ code: 2, out: '' });
      const future = await run('--dry-run', '--from', '2126-01-01');
      expect(future).toMatchObject({ code: 2, out: '' });
      expect(future.error).toMatch(/--from is not in the past\.[^]*give a time before now/);
      const toCome = await run('--dry-run', '--from', '2026-01-01', '--known-at', '2126-01-01');
      expect(toCome).toMatchObject({ code: 2, out: '' });
      expect(toCome.error).toContain('--known-at 2126-01-01 is in the future.');
      const turned = await run('--dry-run', '--from', '2026-01-02', '--to', '2026-01-01');
      expect(turned.error).toMatch(/--from must be before --to\.[^]*Give an earlier --from or a later --to/);
    },
    PATIENCE_MS,
  );

  it(
    'silences alerts until a time, shows who did it and why, and lifts the silence',
    async () => {
      const { out, error, code } = await run('silence', '--nodes', 'n*', '--for', '2h', '--note', 'we know');
      expect({ error, code }).toEqual({ error: '', code: 0 });
      const [, id = ''] = /^Silenced until \S+: (\S+)\n$/.exec(out) ?? [];
      const listed = (await run('list')).out;
      expect(listed).toMatch(/silenced until .*\n.*nodes n\* +command line +we know/);
      expect((await run('unsilence', id.slice(0, 8))).out).toBe(`Lifted ${id}.\n`);
      expect((await run('list')).out).not.toContain('we know');
      expect(await run('unsilence', id)).toMatchObject({ code: 2 });
      expect(await run('silence', '--until', '2020-01-01')).toMatchObject({ code: 2 });
      expect(await run('silence', '--nodes', 'n1')).toMatchObject({ code: 2 });
      const misspelt = await run('silence', '--rules', 'da-*', 'da-failling', '--for', '2h');
      expect(misspelt).toMatchObject({ code: 0, error: 'No rule in the settings matches da-failling.\n' });
      const empty = await run('silence', '--chains', '', '--for', '2h');
      expect(empty).toMatchObject({ code: 2, out: '' });
      expect(empty.error).toContain('A pattern is empty: it would silence nothing.');
      for (const length of ['-5m', '0s', '9999999999h', '2 days']) {
        const { code: refused, error: why } = await run('silence', '--for', length);
        expect(refused).toBe(2);
        expect(why).toContain(`--for is not a valid length: ${length}`);
        expect(why).toContain('up to 720h. For longer give --until TIME.');
      }
      const [silenced] = await world.bodiesOf('AlertsSilenced');
      expect(silenced).toMatchObject({ silence: { by: 'command line', scope: { nodes: ['n*'] } } });
    },
    PATIENCE_MS,
  );
});
