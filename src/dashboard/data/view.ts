import { useEffect, useState } from 'preact/hooks';

/** The page and its choices, which all stand in the address. */
export interface View {
  readonly path: string;
  /** The value of a parameter; empty where it is left out. */
  readonly get: (name: string) => string;
  /** Sets parameters, and takes away those that are set to an empty text. */
  readonly set: (values: Readonly<Record<string, string>>) => void;
}

/** The view that the address names. It is drawn anew when the address changes. */
export function useView(): View {
  const [, draw] = useState(0);
  useEffect(() => {
    const changed = (): void => draw((count) => count + 1);
    window.addEventListener('popstate', changed);
    return () => window.removeEventListener('popstate', changed);
  }, []);
  const given = new URLSearchParams(location.search);
  return {
    path: location.pathname,
    get: (name) => given.get(name) ?? '',
    set: (values) => {
      const next = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(values))
        if (value === '') next.delete(name);
        else next.set(name, value);
      const search = next.toString();
      history.replaceState(null, '', location.pathname + (search && `?${search}`));
      window.dispatchEvent(new PopStateEvent('popstate'));
    },
  };
}

/** The id behind the first part of a path: `a/b` of `/node/a%2Fb`. One that cannot be read is taken as it stands. */
export function idOf(path: string): string {
  const text = path.split('/').slice(2).join('/');
  try {
    return decodeURIComponent(text);
  } catch {
    // It stands in the address with a lone per cent sign.
    return text;
  }
}

/** The moment that is asked about, for the variables of a question; null is the present. */
export function momentOf(view: View): { readonly asOf: string | null; readonly knownAt: string | null } {
  return { asOf: view.get('asOf') || null, knownAt: view.get('knownAt') || null };
}
