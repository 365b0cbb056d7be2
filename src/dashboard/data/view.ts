/** Choices that apply to every page, so that links keep them: range, past moment, zone, and whether the page is paused. */
const KEPT = ['last', 'from', 'to', 'asOf', 'knownAt', 'zone', 'live'] as const;
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

export type ReadonlyView = Pick<View, 'path' | 'get'>;

/** The view that an address names, for example `/cost?chain=a`. */
export function viewOf(url: string): ReadonlyView {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  return { path: pathname, get: (name) => searchParams.get(name) ?? '' };
}

/** An address with changed parameters; those with an empty text are removed. */
export function withValues(url: string, values: Readonly<Record<string, string>>): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const [name, value] of Object.entries(values))
    if (value === '') searchParams.delete(name);
    else searchParams.set(name, value);
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}

/**
 * The address of another page. It keeps the choices of this page that apply to every page.
 * @param parts of the path, not yet escaped: `['node', 'a/b']`
 * @param values parameters of that page; a range among them replaces the range of this page
 */
export function linkTo(parts: readonly string[], values: Readonly<Record<string, string>> = {}): string {
  return keeping(
    `/${parts.map((part) => encodeURIComponent(part).replaceAll('%3A', ':')).join('/')}`,
    values,
  );
}

/** An address of this server, such as a search result, with the choices of this page that apply to every page. */
export function keepingView(url: string): string {
  const { pathname, searchParams } = new URL(url, location.origin);
  return keeping(pathname, Object.fromEntries(searchParams));
}

function keeping(path: string, values: Readonly<Record<string, string>>): string {
  const given = new URLSearchParams(location.search);
  const isRange = ['last', 'from', 'to'].some((name) => name in values);
  const kept = KEPT.filter((name) => !isRange || !['last', 'from', 'to'].includes(name));
  return withValues(path, {
    ...Object.fromEntries(kept.map((name) => [name, given.get(name) ?? ''])),
    ...values,
  });
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

/** Whether the view shows a past moment. */
export function isPast(view: Pick<View, 'get'>): boolean {
  return ['asOf', 'knownAt', 'at'].some((name) => view.get(name) !== '');
}

/** The zone that an address names, or else the browser's. */
export function zoneOf(view: Pick<View, 'get'>): string {
  const zone = view.get('zone');
  return zone !== '' && isZone(zone) ? zone : OWN_ZONE;
}

let checked: readonly [search: string, zone: string] | undefined;

/** The zone of the page's times. It is checked once for each address: pages show thousands of times. */
export function pageZone(): string {
  const { search } = location;
  if (checked?.[0] !== search) checked = [search, zoneOf(viewOf(search))];
  return checked[1];
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }) instanceof Intl.DateTimeFormat;
  } catch {
    // The address can contain any text.
    return false;
  }
}
