import { createHmac } from 'node:crypto';
import { ACKNOWLEDGED, ALERT, RAISED, REMINDED, RESOLVED } from '../../../test/support/notices.js';
import { findPauses, type HttpDestination } from './destinations.js';
import { standardSignature, toNoticeRequest } from './notice-request.js';

const NOW = Date.UTC(2026, 0, 2, 3, 5, 6, 789);
const URL_OF = 'https://h.example/x';
const SECRET = 'a-secret-of-16-chars';
const WEBHOOK = { id: 'd', kind: 'webhook', url: URL_OF, secret: SECRET } as const;
const SLACK = { id: 's', kind: 'slack', url: URL_OF } as const;
const ALERTMANAGER = { id: 'd', kind: 'alertmanager', url: URL_OF } as const;
const PAGERDUTY = { id: 'p', kind: 'pagerduty', url: URL_OF, routingKey: 'K'.repeat(32) } as const;

function bodyOf(...[destination, notice]: [HttpDestination, Parameters<typeof toNoticeRequest>[1]]): unknown {
  return JSON.parse(toNoticeRequest(destination, notice, NOW).json);
}

describe('the request to a webhook', () => {
  it('has the same body and key at each try, and a signature with the time of the try', () => {
    const [first, second] = [NOW, NOW + 5_000].map((now) => toNoticeRequest(WEBHOOK, RAISED, now));
    expect(first?.json).toBe(second?.json);
    const seconds = Math.floor(NOW / 1_000);
    expect(first?.headers).toEqual({
      'x-hindsight-key': RAISED.key,
      'webhook-id': RAISED.key,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${createHmac('sha256', SECRET)
        .update(`${RAISED.key}.${seconds}.${first?.json}`)
        .digest('base64')}`,
      'x-hindsight-signature': createHmac('sha256', SECRET)
        .update(first?.json ?? '')
        .digest('hex'),
    });
    expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature']);
    expect(bodyOf(WEBHOOK, RAISED)).toMatchObject({
      key: RAISED.key,
      status: 'RAISED',
      nodes: ALERT.nodes,
      since: '2026-01-02T03:04:05.000Z',
      link: 'https://h.example/incident/1',
      until: null,
    });
  });

  it('is not signed without a secret', () => {
    const { headers } = toNoticeRequest({ ...WEBHOOK, secret: undefined }, RAISED, NOW);
    expect(Object.keys(headers)).toEqual(['x-hindsight-key', 'webhook-id', 'webhook-timestamp']);
  });

  it('is signed as the example of Standard Webhooks', () => {
    const body = '{"event_type":"ping","data":{"success":true}}';
    expect(
      standardSignature('whsec_plJ3nmyCDGBKInavdOK15jsl', `msg_loFOjxBNrRLzqYUf.1731705121.${body}`),
    ).toBe('rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=');
  });
});

describe('the request to a chat', () => {
  it('lets no text of a node mention anyone in Slack', () => {
    const { text } = bodyOf(SLACK, RAISED) as { text: string };
    expect(text).toContain('&lt;!channel&gt;');
    expect(text).not.toMatch(/[<>]/);
  });

  it('has its first line in bold in Telegram, and no other tag', () => {
    const sent = bodyOf({ id: 't', kind: 'telegram', url: URL_OF, chat: '-100123' }, RAISED);
    expect(sent).toMatchObject({ chat_id: '-100123', parse_mode: 'HTML' });
    const { text } = sent as { text: string };
    expect(text.split('\n')[0]).toBe(
      '<b>CRITICAL a and 6 more: Submissions fail (chain alpha-1), since 03:04 UTC</b>',
    );
    expect(text).toContain('&lt;!channel&gt; ?&amp; gone');
    expect(text.match(/<[^>]*>/g)).toEqual(['<b>', '</b>']);
  });

  it('is a card in Teams whose text is no Markdown, with a button that opens the incident', () => {
    const { attachments } = bodyOf({ id: 't', kind: 'teams', url: URL_OF }, RAISED) as {
      attachments: { content: { body: { type: string; inlines: { text: string }[] }[]; actions: unknown } }[];
    };
    const card = attachments[0]?.content;
    expect(new Set(card?.body.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
    const lines = card?.body.flatMap(({ inlines }) => inlines.map(({ text }) => text));
    expect(lines?.[0]).toBe('CRITICAL a and 6 more: Submissions fail (chain alpha-1), since 03:04 UTC');
    expect(lines?.join('\n')).toContain('<!channel> ?& gone');
    expect(card?.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open in Hindsight', url: 'https://h.example/incident/1' },
    ]);
  });
});

describe('the request to PagerDuty', () => {
  it.each([
    [RAISED, 'trigger'],
    [REMINDED, 'trigger'],
    [ACKNOWLEDGED, 'acknowledge'],
    [RESOLVED, 'resolve'],
  ] as const)('of %j has the one key of the alert', (notice, action) => {
    expect(bodyOf(PAGERDUTY, notice)).toMatchObject({
      routing_key: PAGERDUTY.routingKey,
      event_action: action,
      dedup_key: ALERT.id,
    });
  });

  it('says what is wrong, where and since when', () => {
    const notice = {
      ...RAISED,
      alert: { ...ALERT, words: { ...RAISED.alert.words, title: 'x'.repeat(2_000) } },
    };
    expect(bodyOf(PAGERDUTY, notice as typeof RAISED)).toMatchObject({
      client_url: 'https://h.example/incident/1',
      links: [
        { href: 'https://h.example/incident/1', text: 'Incident' },
        { href: 'https://h.example/runbooks/da-failing', text: 'Runbook' },
      ],
      payload: {
        summary: expect.stringMatching(/^CRITICAL a and 6 more: x{900,}…$/) as unknown,
        source: 'a',
        severity: 'critical',
        timestamp: '2026-01-02T03:04:05.000Z',
        class: 'da-failing',
        group: 'alpha-1',
      },
    });
    const { payload } = bodyOf(PAGERDUTY, notice as typeof RAISED) as { payload: { summary: string } };
    expect(payload.summary).toHaveLength(1_024);
  });
});

describe('the request to an Alertmanager', () => {
  it('has one alert under the same labels, and its end', () => {
    const address = { ...ALERTMANAGER, url: 'http://am:9093/base/?a=b' };
    expect(toNoticeRequest(address, RAISED, NOW).url).toBe('http://am:9093/base/api/v2/alerts?a=b');
    const [first, second] = [RAISED, RESOLVED].flatMap(
      (notice) => bodyOf(ALERTMANAGER, notice) as { labels: object; endsAt: string }[],
    );
    expect(first?.labels).toEqual(second?.labels);
    expect(first?.endsAt).toBe('2026-01-09T03:05:05.000Z');
    expect(second?.endsAt).toBe('2026-01-02T04:04:05.000Z');
  });

  it('is repeated each day, long before it treats the alert as over', () => {
    const pauses = findPauses([ALERTMANAGER, SLACK, { ...WEBHOOK, id: 'w', remindMs: 7 }]);
    expect([...pauses]).toEqual([
      ['d', 86_400_000],
      ['w', 7],
    ]);
    const [held] = bodyOf(ALERTMANAGER, REMINDED) as [{ endsAt: string }];
    expect(Date.parse(held.endsAt) - REMINDED.at).toBeGreaterThan(3 * 86_400_000);
  });
});
