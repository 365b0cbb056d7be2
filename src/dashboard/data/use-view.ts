import { useEffect, useState } from 'preact/hooks';
import { viewOf, type View } from './view.js';

/** The view that the address names. A change of the address draws it again. */
export function useView(): View {
  const [, draw] = useState(0);
  useEffect(() => {
    const changed = (): void => draw((count) => count + 1);
    window.addEventListener('popstate', changed);
    return () => window.removeEventListener('popstate', changed);
  }, []);
  return viewOf();
}
