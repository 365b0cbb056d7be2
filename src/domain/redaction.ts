/** The kinds of texts that are replaced, as they begin their stand-ins: `node-1`. */
export type RedactedKind = 'node' | 'chain' | 'host' | 'person';

/** Scheme, and everything up to where texts, JSON or Markdown end a URL. */
const URL_IN_TEXT = /\b([a-z][a-z0-9+.-]*:\/\/)([^\s"'<>\\`]+)/gi;
/** `host:port` with a domain, names in certificates, and multiaddresses. */
const NAMED_HOST =
  /(?<![\w.@-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?=:\d{1,5}\b)|(?<=\bDNS:)[*\w.-]+|(?<=\/dns[46]?\/)[\w.-]+/gi;
const IP_V4 = /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\w)/g;
/** In brackets, in full, or with a double colon and a digit: neither a time such as 12:34:56 nor a path such as a::b is an address. */
const IP_V6 =
  /\[[0-9a-f:.]*:[0-9a-f:.]*\]|(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])|(?<![\w:])(?=[0-9a-f:]*\d)(?:[0-9a-f]{1,4}:)*[0-9a-f]{0,4}::(?:[0-9a-f]{1,4}:)*[0-9a-f]{1,4}(?![\w:])/gi;
/** Words after which resolvers of Go and Node name a host. */
const LOOKED_UP = /\b(lookup|ENOTFOUND|EAI_AGAIN) ([a-z0-9][a-z0-9.-]*)/gi;

/**
 * Replaces addresses and names in texts by numbered stand-ins, the same one for the same text. Hosts are found by their form and
 * after they were met in a URL; other names must be given. Hashes, heights, namespaces and accounts remain: they are public on the DA layer.
 */
export class Redaction {
  private readonly standIns = new Map<string, string>();
  private readonly counts = new Map<RedactedKind, number>();
  private names: RegExp | undefined;

  /** @param names by kind; empty texts are ignored */
  constructor(names: Partial<Record<RedactedKind, readonly string[]>> = {}) {
    for (const [kind, list] of Object.entries(names) as [RedactedKind, readonly string[]][]) {
      for (const name of list) this.standInOf(kind, name);
    }
  }

  redact(text: string): string {
    return text
      .replace(URL_IN_TEXT, (_, scheme: string, rest: string) => this.redactUrl(scheme, rest))
      .replace(IP_V4, (host) => this.standInOf('host', host))
      .replace(IP_V6, (host) => this.standInOf('host', host))
      .replace(NAMED_HOST, (host) => this.standInOf('host', host))
      .replace(LOOKED_UP, (_, word: string, host: string) => `${word} ${this.standInOf('host', host)}`)
      .replace(this.findNames(), (name) => this.standIns.get(name.toLowerCase()) ?? name);
  }

  /** Redacts the texts in JSON, as they read without escapes. Everything else stays as it is, numbers of any length too. */
  redactJson(json: string): string {
    return json.replace(/"(?:[^"\\]|\\.)*"/g, (literal) => {
      const text = JSON.parse(literal) as string;
      const redacted = this.redact(text);
      return redacted === text ? literal : JSON.stringify(redacted);
    });
  }

  /** The path is dropped, as it may name a customer or a key; punctuation behind it belongs to the sentence. */
  private redactUrl(scheme: string, rest: string): string {
    const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
    const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/(?::\d*)?[).,;:!?\]}]*$/, '');
    const end = /[).,;:!?}]*$/.exec(rest)?.[0] ?? '';
    return `${scheme}${this.standInOf('host', host)}${end}`;
  }

  private standInOf(kind: RedactedKind, name: string): string {
    const key = name.toLowerCase();
    if (name === '' || /^(?:node|chain|host|person)-\d+$/.test(name)) return name;
    const known = this.standIns.get(key);
    if (known !== undefined) return known;
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    this.standIns.set(key, `${kind}-${count}`);
    this.names = undefined;
    return `${kind}-${count}`;
  }

  /** Longer names first, so that none is replaced in a part. */
  private findNames(): RegExp {
    const names = [...this.standIns.keys()]
      .toSorted((a, b) => b.length - a.length)
      .map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
    return (this.names ??=
      names.length === 0 ? /$^/g : new RegExp(`(?<![\\w-])(?:${names.join('|')})(?![\\w-])`, 'gi'));
  }
}

/** Redacts every text in a value, except the names of members. A first pass meets the hosts that a later text names. */
export function redactTexts<T>(value: T, redaction: Redaction): T {
  redactEach(value, redaction);
  return redactEach(value, redaction);
}

function redactEach<T>(value: T, redaction: Redaction): T {
  if (typeof value === 'string') return redaction.redact(value) as T;
  if (Array.isArray(value)) return value.map((item) => redactEach<unknown>(item, redaction)) as T;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactEach<unknown>(member, redaction)]),
  ) as T;
}
