import { toPrintable } from '../../domain/printable-text.js';
import { linkTo } from '../data/view.js';

export function Named({ kind, id }: { readonly kind: 'node' | 'chain'; readonly id: string }) {
  return (
    <a href={linkTo([kind, id])}>
      <bdi>{toPrintable(id, 200)}</bdi>
    </a>
  );
}
