import { AlertLedger } from './alert-ledger.js';
import { ALERT_RULES } from './alert-rules.js';
import { toNoticeRequest } from './notice-request.js';
import { toNoticeText } from './notice-text.js';
import { ACKNOWLEDGED, ALERT, RAISED, REMINDED, RESOLVED, SINCE } from '../../../test/support/notices.js';

describe('an announced alert', () => {
  it('is sent to each destination until no message is left, the end after the beginning', () => {
    const ledger = new AlertLedger();
    const deliver = (notice: string, destination: string): void =>
      ledger.take({
        type: 'AlertDelivered',
        at: SINCE,
        body: { notice, destination, outcome: 'DELIVERED', detail: '' },
      });
    ledger.take({ type: 'AlertRaised', at: SINCE, body: { alert: ALERT, destinations: ['x', 'y'] } });
    expect(ledger.due).toEqual([
      { notice: RAISED.key, destination: 'x' },
      { notice: RAISED.key, destination: 'y' },
    ]);
    deliver(RAISED.key, 'x');
    ledger.take({
      type: 'AlertResolved',
      at: SINCE,
      body: { alert: ALERT.id, until: SINCE + 1, destinations: ['x', 'y'] },
    });
    expect(ledger.open).toEqual([]);
    expect(ledger.due).toEqual([
      { notice: RAISED.key, destination: 'y' },
      { notice: RESOLVED.key, destination: 'x' },
    ]);
    for (const notice of [RAISED.key, RESOLVED.key]) for (const to of ['x', 'y']) deliver(notice, to);
    expect(ledger.due).toEqual([]);
    expect(ledger.find(RAISED.key)).toBeUndefined();
  });

  it('is repeated to destinations that want reminders and accepted everything before, and no more once it is over', () => {
    const ledger = new AlertLedger();
    const deliver = (notice: string, destination: string): void =>
      ledger.take({
        type: 'AlertDelivered',
        at: SINCE,
        body: { notice, destination, outcome: 'DELIVERED', detail: '' },
      });
    ledger.take({ type: 'AlertRaised', at: SINCE, body: { alert: ALERT, destinations: ['x', 'y', 'z'] } });
    const pauses = new Map([
      ['x', 1_000],
      ['y', 1_000],
    ]);
    deliver(RAISED.key, 'x');
    expect(ledger.toRemind(pauses, SINCE + 999)).toEqual([]);
    const [body] = ledger.toRemind(pauses, SINCE + 1_000);
    expect(body).toEqual({ alert: ALERT.id, destinations: ['x'] });
    ledger.take({ type: 'AlertReminded', at: SINCE + 1_000, body: { alert: ALERT.id, destinations: ['x'] } });
    deliver(RAISED.key, 'y');
    expect(ledger.toRemind(pauses, SINCE + 2_000)).toEqual([{ alert: ALERT.id, destinations: ['y'] }]);
    expect(ledger.find(`${ALERT.id}-reminded-${SINCE + 1_000}`)).toMatchObject({ status: 'REMINDED' });
    ledger.take({
      type: 'AlertResolved',
      at: SINCE + 2_000,
      body: { alert: ALERT.id, until: SINCE, destinations: ['x'] },
    });
    expect(ledger.due).toEqual([
      { notice: RAISED.key, destination: 'z' },
      { notice: RESOLVED.key, destination: 'x' },
    ]);
    expect(ledger.toRemind(pauses, SINCE + 9_000)).toEqual([]);
  });

  it('is acknowledged once, at the destinations that want to know', () => {
    const ledger = new AlertLedger();
    ledger.take({ type: 'AlertRaised', at: SINCE, body: { alert: ALERT, destinations: ['x', 'y'] } });
    expect(ledger.unacknowledged).toEqual([ALERT]);
    const body = { alert: ALERT.id, by: 'ana', destinations: ['y'] };
    ledger.take({ type: 'AlertAcknowledged', at: SINCE + 1, body });
    expect(ledger.unacknowledged).toEqual([]);
    expect(new AlertLedger(ledger.state).unacknowledged).toEqual([]);
    expect(ledger.find(ACKNOWLEDGED.key)).toMatchObject({ status: 'ACKNOWLEDGED', by: 'ana' });
    expect([...(ledger.find(ACKNOWLEDGED.key)?.waiting ?? [])]).toEqual(['y']);
    expect(ledger.open).toEqual([ALERT]);
  });

  it('is known to a ledger that continues from the state of another, as JSON', () => {
    const ledger = new AlertLedger();
    const silence = { id: 's', scope: { rules: ['a'] }, from: SINCE, until: SINCE + 9, note: '', by: 'me' };
    ledger.take({ type: 'AlertRaised', at: SINCE, body: { alert: ALERT, destinations: ['x'] } });
    ledger.take({ type: 'AlertsSilenced', at: SINCE, body: { silence } });
    const state = JSON.parse(JSON.stringify(ledger.state)) as typeof ledger.state;
    const other = new AlertLedger(state);
    expect([other.open, other.due, other.silencesAt(SINCE)]).toEqual([
      ledger.open,
      ledger.due,
      ledger.silencesAt(SINCE),
    ]);
    expect(other.silencesAt(SINCE + 9)).toEqual([]);
    other.take({ type: 'SilenceLifted', at: SINCE + 1, body: { silence: 's', by: 'me' } });
    expect(other.mutesAt(SINCE + 1)).toEqual([]);
  });
});

describe('the text of a notice', () => {
  it('has what, where, since when, why, the meaning and the remedy, in few lines', () => {
    expect(toNoticeText(RAISED).text.split('\n')).toEqual([
      'CRITICAL a and 6 more: Submissions fail (chain alpha-1), since 03:04 UTC',
      'Since: 2026-01-02 03:04:05 UTC, 1 min before this message',
      'On a: the last 5 attempts failed: <!channel> ?& gone',
      'It means this.',
      'What to do: Do that.',
      'Nodes: a, b, c, d, e and 2 more',
      'Runbook: https://h.example/runbooks/da-failing',
      'https://h.example/incident/1',
    ]);
  });

  it('has no link and no nodes if there are none, and says that the trouble is ongoing', () => {
    const { link: _, runbook: __, ...alert } = ALERT;
    const { title, text } = toNoticeText({ ...REMINDED, alert: { ...alert, nodes: [] } });
    expect(title).toBe('STILL CRITICAL: Submissions fail (chain alpha-1), since 03:04 UTC');
    expect(text).not.toMatch(/Nodes|https/);
    const ofOne = toNoticeText({ ...RAISED, alert: { ...alert, nodes: ['a'] } });
    expect(ofOne.title).toBe('CRITICAL a: Submissions fail (chain alpha-1), since 03:04 UTC');
    expect(ofOne.text).toMatch(/\nthe last 5 attempts failed/);
    expect(ofOne.text).not.toContain('Nodes');
  });

  it('says in a reminder how long the trouble has lasted, and that the reason is that of its beginning', () => {
    expect(
      toNoticeText({ ...REMINDED, at: SINCE + 7_200_000 })
        .text.split('\n')
        .slice(1, 3),
    ).toEqual([
      'Since: 2026-01-02 03:04:05 UTC, for 2 h',
      'At first, on a: the last 5 attempts failed: <!channel> ?& gone',
    ]);
  });

  it('says in a reminder what the present trouble is, if that is known', () => {
    const ledger = new AlertLedger();
    ledger.take({
      type: 'AlertRaised',
      at: SINCE,
      body: { alert: { ...ALERT, nodes: ['a'] }, destinations: [] },
    });
    const body = { alert: ALERT.id, destinations: ['x'], reason: '900 attempts failed' };
    ledger.take({ type: 'AlertReminded', at: SINCE + 9, body });
    const notice = ledger.find(`${ALERT.id}-reminded-${SINCE + 9}`);
    if (notice === undefined) throw new Error('there is a reminder');
    expect(toNoticeText(notice).text).toContain('\n900 attempts failed\n');
    const { json } = toNoticeRequest({ kind: 'webhook', id: 'x', url: 'http://x' }, notice, SINCE);
    expect(JSON.parse(json)).toMatchObject({ reason: '900 attempts failed' });
  });

  it('does not report an unmonitored node as well', () => {
    const some = toNoticeText({ ...RESOLVED, gone: ['b', 'c'] });
    expect(some.title).toBe('RESOLVED a and 6 more: Submissions fail (chain alpha-1), after 1 h');
    expect(some.text).toContain('\nNo longer monitored: b, c\n');
    const all = toNoticeText({ ...RESOLVED, gone: ALERT.nodes });
    expect(all.title).toBe('NO LONGER MONITORED a and 6 more: Submissions fail (chain alpha-1), after 1 h');
    expect(all.text).toContain('\nNo longer monitored: a, b, c, d, e and 2 more\n');
  });

  it('contains node and time in its commands, if the alert has one node', () => {
    const words = ALERT_RULES.find(({ name }) => name === 'many-failures');
    const told = (nodes: readonly string[]): string =>
      toNoticeText({ ...RAISED, alert: { ...ALERT, nodes, ...(words && { words }) } }).text;
    expect(told(['a$&'])).toContain(': hindsight incident a$& --from 2026-01-02T02:04:05Z lists them.');
    expect(told(['a', 'b'])).toContain(': hindsight incident NODE --from TIME lists them.');
  });

  it('has the day of its begin on the first line, if that was another day', () => {
    const later = toNoticeText({ ...REMINDED, at: SINCE + 86_400_000 });
    expect(later.title).toBe(
      'STILL CRITICAL a and 6 more: Submissions fail (chain alpha-1), since 2026-01-02 03:04 UTC',
    );
  });

  it('says who acknowledged it', () => {
    expect(toNoticeText(ACKNOWLEDGED).text.split('\n').slice(0, 3)).toEqual([
      'ACKNOWLEDGED a and 6 more: Submissions fail (chain alpha-1), since 03:04 UTC',
      'Since: 2026-01-02 03:04:05 UTC',
      'Acknowledged by ana',
    ]);
  });

  it('says when it was over', () => {
    expect(toNoticeText(RESOLVED).text.split('\n')).toEqual([
      'RESOLVED a and 6 more: Submissions fail (chain alpha-1), after 1 h',
      'Since: 2026-01-02 03:04:05 UTC',
      'Until: 2026-01-02 04:04:05 UTC, after 1 h',
      'Nodes: a, b, c, d, e and 2 more',
      'https://h.example/incident/1',
    ]);
  });

  it.each(ALERT_RULES)('of $name fits a phone', ({ means, remedy, title }) => {
    expect(`${title}${means}${remedy}`.length).toBeLessThan(300);
  });
});
