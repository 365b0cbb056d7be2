import { createHash } from 'node:crypto';

/** A URL in any text, up to where texts, JSON or Markdown end it. */
const ANY_URL = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\`]+/gi;

/** Scheme, user and password (a password may hold an `@`), host, path, query, fragment. */
const PARTS = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;

const SECRET_NAME = /pass|secret|token|key/i;

/** Path segments behind which providers put a key. */
const NAMES_A_KEY = /^(?:api[-_]?)?(?:keys?|tokens?|secrets?)$/i;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HEX = /^(?:0x)?[0-9a-f]{16,}$/i;
const SHORTEST_KEY = 16;

/** A word, as people write it into paths: `v3`, `rpc`, `mainnet2`, `getBlock`, `2024`. */
const WORD = /^(?:[a-z]{1,24}|[A-Z]{1,24}|[A-Za-z][a-z]{1,23}(?:[A-Z][a-z]+){0,5})?\d{0,4}$|^\d{1,8}$/;

/**
 * A URL that is safe to show, log and record. A password becomes `***`. Key-like text in the path, query, fragment or user
 * becomes `…` and eight digits of its SHA-256, so that different addresses remain distinguishable. The rest is unchanged, letter
 * by letter, and so is a URL that is already masked.
 */
export function maskUrl(url: string): string {
  const [matched, scheme = '', user, host = '', path = '', query = '', fragment = ''] = PARTS.exec(url) ?? [];
  if (matched === undefined) return url;
  // A slash in a password, for example, hides where the password ends.
  if (url.includes('@') && !URL.canParse(url)) return '(not a URL)';
  const login = user === undefined ? '' : `${maskUser(user)}@`;
  return `${scheme}${login}${host}${maskPath(path)}${maskQuery(query)}${maskKey(fragment, '#')}`;
}

/** The normalised URL, masked by {@link maskUrl}. Text that is not a URL is not printed at all. */
export function redactUrl(url: string): string {
  return URL.canParse(url) ? maskUrl(new URL(url).href) : '(not a URL)';
}

/** Masks every URL in a text. */
export function redactText(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(ANY_URL, (found) => {
    // Punctuation after a URL belongs to the sentence.
    const end = /[).,;:!?\]}]*$/.exec(found)?.[0] ?? '';
    return maskUrl(found.slice(0, found.length - end.length)) + end;
  });
}

/** Whether a URL holds a password or what looks like a key. */
export function holdsSecret(url: string): boolean {
  return maskUrl(url) !== url;
}

function maskPath(path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, index) => (NAMES_A_KEY.test(segments[index - 1] ?? '') ? mask(segment) : maskKey(segment)))
    .join('/');
}

function maskUser(login: string): string {
  const colon = login.indexOf(':');
  if (colon < 0) return maskKey(login);
  const password = login.slice(colon + 1);
  return `${maskKey(login.slice(0, colon))}:${password === '' ? '' : '***'}`;
}

function maskQuery(query: string): string {
  return query.replace(/([?&])([^=&]*)(?:=([^&]*))?/g, (_, mark: string, name: string, value?: string) => {
    if (value === undefined) return mark + maskKey(name);
    return `${mark}${name}=${SECRET_NAME.test(name) && value !== '' ? '***' : maskKey(value)}`;
  });
}

function maskKey(text: string, prefix = ''): string {
  const value = text.slice(prefix.length);
  return isKeyLike(value) ? prefix + mask(value) : text;
}

/** Long, and not made of words that people would write. */
function isKeyLike(text: string): boolean {
  if (text.length < SHORTEST_KEY || text.startsWith('…')) return false;
  if (UUID.test(text) || HEX.test(text)) return true;
  return text.split(/[-_.~+:,@%]+/).some((word) => !WORD.test(word));
}

function mask(secret: string): string {
  if (secret === '' || /^…[0-9a-f]{8}$/.test(secret)) return secret;
  return `…${createHash('sha256').update(secret).digest('hex').slice(0, 8)}`;
}
