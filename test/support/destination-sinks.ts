import { HttpSink, type SunkRequest } from './http-sink.js';
import { SmtpSink } from './smtp-sink.js';

/** A message as its receiver understands it, from its own protocol alone. */
export interface ReadMessage {
  /** The one line that people see first. */
  readonly title: string;
  /** Identifies the alert; for a chat, which has no keys, the time since when. */
  readonly alert: string;
  /** Identifies the message. */
  readonly id: string;
  readonly isEnd: boolean;
  /** All of it, as it was sent. */
  readonly bytes: string;
}

type Given = Pick<SunkRequest, 'headers' | 'body'>;
type Read = (given: Given) => Omit<ReadMessage, 'bytes'>;

/** A kind of destination: its settings, its usual answer, and how it reads messages. */
interface Kind {
  readonly settings: (port: number) => string;
  readonly answer?: { readonly status?: number; readonly body?: string };
  readonly read: Read;
}

interface Alertmanager {
  readonly labels: object;
  readonly annotations: { readonly summary: string };
  readonly startsAt: string;
  readonly endsAt: string;
}

const parse = ({ body }: Given): unknown => JSON.parse(body);
const keyOf = ({ headers }: Given): string => String(headers['x-hindsight-key']);
/** A header on one line, with its encoded words (RFC 2047) decoded. */
const headerOf = (mail: string, name: string): string | undefined =>
  new RegExp(`^${name}: ([^]*?)\\r\\n(?![ \\t])`, 'im')
    .exec(mail)?.[1]
    ?.replace(/\r\n/g, '')
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?(.*?)\?=/gi, (_, form: string, text: string) =>
      form === 'B'
        ? Buffer.from(text, 'base64').toString()
        : decodeURIComponent(text.replaceAll('%', '%25').replaceAll('_', ' ').replaceAll('=', '%')),
    );

/** A chat shows words alone. */
const readWords = (text: string, given: Given) => {
  const [title = '', since = ''] = text.split('\n');
  const isEnd = title.startsWith('RESOLVED');
  return { title, alert: since.split(',')[0] ?? '', id: keyOf(given), isEnd };
};

const readSlack: Read = (given) => readWords((parse(given) as { text: string }).text, given);

export const DESTINATIONS = {
  webhook: {
    settings: (port) => `webhook: "http://127.0.0.1:${port}/hook", secret: a-secret-of-16-chars`,
    read: (given) => {
      const { title, alert, status } = parse(given) as { title: string; alert: string; status: string };
      return { title, alert, id: String(given.headers['webhook-id']), isEnd: status === 'RESOLVED' };
    },
  },
  slack: { settings: (port) => `slack: "http://127.0.0.1:${port}/services/T0"`, read: readSlack },
  discord: {
    settings: (port) => `slack: "http://127.0.0.1:${port}/api/webhooks/1/slack"`,
    answer: { status: 204, body: '' },
    read: readSlack,
  },
  telegram: {
    settings: (port) =>
      `telegram: -100123, token: "123456:AA0123456789abcdefghijk", url: "http://127.0.0.1:${port}"`,
    answer: { body: '{"ok":true,"result":{"message_id":7}}' },
    read: (given) => readWords((parse(given) as { text: string }).text.replace(/<\/?b>/g, ''), given),
  },
  teams: {
    settings: (port) => `teams: "http://127.0.0.1:${port}/workflows/1"`,
    answer: { status: 202, body: '' },
    read: (given) => {
      interface Card {
        readonly body: readonly { readonly inlines: readonly { readonly text: string }[] }[];
      }
      const [card] = (parse(given) as { attachments: { content: Card }[] }).attachments;
      const lines = card?.content.body.map(({ inlines }) => inlines.map(({ text }) => text).join(''));
      return readWords(lines?.join('\n') ?? '', given);
    },
  },
  pagerduty: {
    settings: (port) => `pagerduty: ${'0f'.repeat(16)}, url: "http://127.0.0.1:${port}/v2/enqueue"`,
    answer: { status: 202, body: '{"status":"success"}' },
    read: (given) => {
      const event = parse(given) as { dedup_key: string; event_action: string; payload: { summary: string } };
      const { dedup_key: alert, event_action: action, payload } = event;
      return { title: payload.summary, alert, id: keyOf(given), isEnd: action === 'resolve' };
    },
  },
  alertmanager: {
    settings: (port) => `alertmanager: "http://127.0.0.1:${port}"`,
    answer: { body: '' },
    read: (given) => {
      const [one] = parse(given) as Alertmanager[];
      if (one === undefined) throw new Error('there is no alert in it');
      const alert = JSON.stringify([one.labels, one.startsAt]);
      const isEnd = Date.parse(one.endsAt) <= Date.now();
      return { title: one.annotations.summary, alert, id: keyOf(given), isEnd };
    },
  },
  mail: {
    settings: (port) => `email: ops@example.org, from: us@example.org, smtp: "smtp://127.0.0.1:${port}"`,
    read: ({ body }) => {
      const title = headerOf(body, 'Subject') ?? '';
      const id = headerOf(body, 'Message-ID') ?? '';
      return { title, alert: headerOf(body, 'References') ?? id, id, isEnd: title.startsWith('RESOLVED') };
    },
  },
} satisfies Record<string, Kind>;

export type DestinationName = keyof typeof DESTINATIONS;

/** How a destination is away: it refuses connections, answers that it is busy, never answers, or drops the connection. */
export type Absence = 'refuses' | 'busy' | 'hangs' | 'drops';

/** A destination as a server of its protocol, which can be away. */
export class DestinationSink {
  private constructor(
    private readonly kind: Kind,
    private readonly server: HttpSink | SmtpSink,
  ) {}

  static async start(name: DestinationName): Promise<DestinationSink> {
    const server = await (name === 'mail' ? SmtpSink.start() : HttpSink.start());
    const sink = new DestinationSink(DESTINATIONS[name], server);
    await sink.comeBack();
    return sink;
  }

  get settings(): string {
    const { server } = this;
    return this.kind.settings(server instanceof SmtpSink ? server.port : Number(new URL(server.url).port));
  }

  async goAway(how: Absence): Promise<void> {
    const { server } = this;
    await server.leave();
    if (server instanceof SmtpSink)
      server.answer = how === 'busy' ? 451 : how === 'hangs' ? 'hold' : 'swallow';
    else server.status = how === 'busy' ? 503 : how === 'hangs' ? 'hold' : 'drop';
    if (how !== 'refuses') await server.comeBack();
  }

  async comeBack(): Promise<void> {
    const { server } = this;
    await server.stop();
    if (server instanceof SmtpSink) server.answer = 250;
    else Object.assign(server, { status: 200, body: 'ok' }, this.kind.answer);
    await server.comeBack();
  }

  /** The messages that it accepted, in their order. */
  get accepted(): readonly ReadMessage[] {
    const { server, kind } = this;
    const given: readonly Given[] =
      server instanceof SmtpSink
        ? server.accepted.map((body) => ({ headers: {}, body }))
        : server.taken.filter(({ isAccepted }) => isAccepted);
    return given.map((one) => ({ ...kind.read(one), bytes: one.body }));
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
