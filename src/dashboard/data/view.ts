/** Choices that apply to every page, so that links keep them: the past moment, and the zone of times. */
const KEPT = ['asOf', 'knownAt', 'zone'] as const;
const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The page and its choices, which are all in the address. */
export interface View {
  readonly path: string;
  /** The value of a parameter; empty when left out. */
  readonly get: (name: string) => string;
  /** Sets parameters, and removes those that are set to an empty text. Back leads to the state before. */
  readonly set: (values: Readonly<Record<string, string>>) => void;
  /** The same during typing: it replaces the state before. */
  readonly type: (values: Readonly<Record<string, string>>) => void;
}

/** A view without its setters. */
export type Looked = Pick<View, 'path' | 'get'>;

export function viewOf(): View {
  const given = new URLSearchParams(location.search);
  return {
    path: location.pathname,
    get: (name) => given.get(name) ?? '',
    set: (values) => go(values, 'pushState'),
    type: (values) => go(values, 'replaceState'),
  };
}

function go(values: Readonly<Record<string, string>>, how: 'pushState' | 'replaceState'): void {
  const next = withValues(new URLSearchParams(location.search), values);
  if (next !== location.search) history[how](null, '', location.pathname + next);
  window.dispatchEvent(new PopStateEvent('popstate'));
}

function withValues(parameters: URLSearchParams, values: Readonly<Record<string, string>>): string {
  for (const [name, value] of Object.entries(values))
    if (value === '') parameters.delete(name);
    else parameters.set(name, value);
  const search = parameters.toString();
  return search && `?${search}`;
}

/**
 * The address of another page. It keeps the past moment and the zone of this page.
 * @param parts of the path, not yet escaped: `['node', 'a/b']`
 * @param values parameters of that page
 */
export function linkTo(parts: readonly string[], values: Readonly<Record<string, string>> = {}): string {
  const given = new URLSearchParams(location.search);
  const kept = new URLSearchParams(
    KEPT.flatMap((name) => {
      const value = given.get(name);
      return value ? [[name, value]] : [];
    }),
  );
  return `/${parts.map((part) => encodeURIComponent(part).replaceAll('%3A', ':')).join('/')}${withValues(kept, values)}`;
}

/** An address of this server, such as a search result, with the past moment and the zone of this page. */
export function keepingView(url: string): string {
  const { pathname, searchParams } = new URL(url, location.origin);
  return linkTo([], Object.fromEntries(searchParams)).replace(/^\//, pathname);
}

/** The parts of a path after the first: `a/b` for `/node/a%2Fb`. A part that cannot be decoded is taken as it is. */
export function idsOf(path: string): string[] {
  return path
    .split('/')
    .slice(2)
    .map((text) => {
      try {
        return decodeURIComponent(text);
      } catch {
        // The address has a lone per cent sign.
        return text;
      }
    });
}

/** The id after the first part of a path. */
export function idOf(path: string): string {
  return idsOf(path).join('/');
}

/** The moment of a page; null means the present. */
export interface Moment {
  readonly asOf: string | null;
  readonly knownAt: string | null;
}

/** The requested moment, for the variables of a query. */
export function momentOf(view: Pick<View, 'get'>): Moment {
  return { asOf: view.get('asOf') || null, knownAt: view.get('knownAt') || null };
}

/** The zone for times: that of the address, `mine`, or UTC. */
export function zoneOf(view: Pick<View, 'get'>): string {
  const zone = view.get('zone');
  if (zone === 'mine') return OWN_ZONE;
  return zone !== '' && isZone(zone) ? zone : 'UTC';
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }) instanceof Intl.DateTimeFormat;
  } catch {
    // The address can contain any text.
    return false;
  }
}
