import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { viewOf, withValues, type View } from './view.js';

/** The view that the address names. A change of the address draws it again. */
export function useView(): View {
  const { url, route } = useLocation();
  return useMemo(() => {
    const go = (values: Readonly<Record<string, string>>, replace: boolean): void => {
      const next = withValues(url, values);
      // Several parts may ask for the same at once, for example charts that share a selection.
      if (next !== location.pathname + location.search) route(next, replace);
    };
    return {
      ...viewOf(url),
      set: (values) => go(values, false),
      type: (values) => go(values, true),
    };
  }, [url]);
}
