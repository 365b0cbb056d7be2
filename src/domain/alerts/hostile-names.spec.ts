import type { Alert, Message } from './alert-ledger.js';
import type { HttpDestination } from './destinations.js';
import { toNoticeRequest } from './notice-request.js';

const url = 'https://h.example/x';
const SLACK: HttpDestination = { id: 's', kind: 'slack', url };
const TELEGRAM: HttpDestination = { id: 't', kind: 'telegram', url, chat: '-100' };
const TEAMS: HttpDestination = { id: 'm', kind: 'teams', url };
const PAGERDUTY: HttpDestination = { id: 'p', kind: 'pagerduty', url, routingKey: 'K'.repeat(32) };
const ALERTMANAGER: HttpDestination = { id: 'a', kind: 'alertmanager', url };
const WEBHOOK: HttpDestination = { id: 'w', kind: 'webhook', url };

/** Texts that a node may send as the name of its chain, or within the reason of a failure. */
const HOSTILE = [
  '<b>&lt;</b> <!channel> <@U1> <https://evil.example|here>',
  '@everyone @here @all a@channel',
  '*bold* _italic_ __both__ ~gone~ `code` ```block``` ||spoiler|| # head',
  '[text](https://evil.example) ![](http://evil.example/x.png) https://evil.example/?a=b',
  `"quoted" 'too' \\ \\" {"a":1} {{ .Labels }} %s $HOME`,
  'one\nResolved: two\r\nthree\u2028four\u0000',
  '\u{1f469}\u200d\u{1f680}\u{1f1e9}\u{1f1ea} \ud83d',
  '\u202eevil\u202c \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627',
];

function noticeAbout(text: string, more: Partial<Alert> = {}): Message {
  const alert: Alert = {
    id: 'da-failing-00ff',
    rule: 'da-failing',
    severity: 'CRITICAL',
    owner: text,
    chain: text,
    nodes: ['seq_1.main-a'],
    since: Date.UTC(2026, 0, 2, 3, 4, 5),
    reason: text,
    words: { title: 'Submissions fail', means: 'It means this.', remedy: 'Read https://wiki.example/a_b_c.' },
    link: 'https://h.example/incident/1',
    ...more,
  };
  return { key: 'da-failing-00ff-raised', alert, status: 'RAISED', until: null, at: alert.since + 60_000 };
}

function bodyOf(destination: HttpDestination, notice: Message): unknown {
  return JSON.parse(toNoticeRequest(destination, notice, notice.at).json);
}

const textOf = (destination: HttpDestination, notice: Message): string =>
  (bodyOf(destination, notice) as { text: string }).text;

describe.each(HOSTILE)('a text of a node, %j', (hostile) => {
  it('is plain to Slack, and to Mattermost and Discord, which always read Markdown', () => {
    const body = bodyOf(SLACK, noticeAbout(hostile)) as { text: string; mrkdwn: boolean };
    expect(body.mrkdwn).toBe(false);
    const ours = ['https://wiki.example/a_b_c', 'https://h.example/incident/1', 'seq_1.main-a'];
    for (const own of ours) expect(body.text).toContain(own);
    const theirs = ours.reduce((left, own) => left.replaceAll(own, ''), body.text);
    expect(theirs.replace(/&(?:lt|gt|amp);/g, '')).not.toMatch(/[<>&]/);
    expect(theirs).not.toMatch(/[@*~`|#]|\]\(|:\/\/|\b_|_\b/);
  });

  it('is plain text where a person acknowledges an alert under this name', () => {
    const text = textOf(SLACK, { ...noticeAbout('x'), status: 'ACKNOWLEDGED', by: hostile });
    const [line = ''] = text.split('\n').filter((one) => one.startsWith('Acknowledged by'));
    expect(line).not.toMatch(/[@*~`|#]|\]\(|:\/\//);
    expect(line.length).toBeGreaterThan('Acknowledged by '.length);
  });

  it('is text in the HTML of Telegram, whose only tag is our own', () => {
    const text = textOf(TELEGRAM, noticeAbout(hostile));
    expect(text.match(/<[^>]*>/g)).toEqual(['<b>', '</b>']);
    expect(text.replace(/<\/?b>|&(?:lt|gt|amp);/g, '')).not.toMatch(/[<>&]/);
    expect(text).not.toContain('@');
    expect(text.match(/https?:\/\/[^\s]+/g)).toHaveLength(2);
  });

  it('is a run of text in Teams', () => {
    interface Block {
      readonly type: string;
      readonly inlines: readonly { readonly type: string }[];
    }
    const { attachments } = bodyOf(TEAMS, noticeAbout(hostile)) as {
      attachments: { content: { body: Block[] } }[];
    };
    for (const { type, inlines } of attachments[0]?.content.body ?? []) {
      expect(type).toBe('RichTextBlock');
      expect(inlines.map((inline) => inline.type)).toEqual(['TextRun']);
    }
  });

  it('adds no line, no hidden character and no half of a character to what people read', () => {
    const plain = (bodyOf(WEBHOOK, noticeAbout('x')) as { text: string }).text.split('\n').length;
    for (const destination of [SLACK, TELEGRAM, WEBHOOK]) {
      const text = textOf(destination, noticeAbout(hostile));
      expect(text.split('\n')).toHaveLength(plain);
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\u202a-\u202e]/u);
      expect(text).not.toMatch(/\p{Cs}/u);
    }
    const [alert] = bodyOf(ALERTMANAGER, noticeAbout(hostile)) as { annotations: { summary: string } }[];
    const { payload } = bodyOf(PAGERDUTY, noticeAbout(hostile)) as { payload: { summary: string } };
    expect(alert?.annotations.summary).toBe(payload.summary);
    expect(payload.summary).not.toMatch(/[\n\r\u202e]/);
  });
});

describe('a message that is longer than a destination accepts', () => {
  // Nothing that the settings and nodes may say is longer.
  const huge = noticeAbout('\u{1f680}&'.repeat(5_000), {
    nodes: Array.from({ length: 100 }, (_, index) => `${index}`.padStart(64, 'n')),
    words: { title: '<'.repeat(200), means: '&'.repeat(200), remedy: '&'.repeat(200) },
    link: `https://h.example/chain/${encodeURIComponent('\u{1f680}'.repeat(128))}`,
  });

  it.each([
    [SLACK, 2_000],
    [TELEGRAM, 4_096],
  ] as const)('is cut at whole lines: case %#', (destination, longest) => {
    const text = textOf(destination, huge);
    expect(text.length).toBeLessThanOrEqual(longest + '<b></b>'.length);
    expect(text).toContain('Since: 2026-01-02 03:04:05 UTC');
    expect(text).not.toMatch(/&(?!(?:lt|gt|amp);)/);
    // Half a link leads nowhere.
    for (const link of text.match(/https:\S+/g) ?? []) expect(link).toBe(huge.alert.link);
  });

  it('has room for everything in a message of usual size', () => {
    const notice = noticeAbout('x'.repeat(300));
    expect(textOf(SLACK, notice)).toBe((bodyOf(WEBHOOK, notice) as { text: string }).text);
  });

  it('fits Teams and PagerDuty', () => {
    expect(Buffer.byteLength(toNoticeRequest(TEAMS, huge, 0).json)).toBeLessThan(28_000);
    const words = { title: '\u{1f680}'.repeat(2_000), means: '', remedy: '' };
    const { payload } = bodyOf(PAGERDUTY, noticeAbout('x', { words })) as { payload: { summary: string } };
    expect(payload.summary.length).toBeLessThanOrEqual(1_024);
    expect(payload.summary).not.toMatch(/\p{Cs}/u);
  });
});
