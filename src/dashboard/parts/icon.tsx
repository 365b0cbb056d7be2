import type { IconNode } from 'lucide';
import { h } from 'preact';

/** An icon of Lucide, as high as the text next to it. Words next to it or `label` say the same. */
export function Icon({ of, label }: { readonly of: IconNode; readonly label?: string }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={!label}
    >
      {of.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
