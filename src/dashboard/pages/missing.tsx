import { linkTo } from '../data/view.js';
import { useDrawn } from '../parts/states.js';

/** Says that there is no page at this path. */
export function MissingPage() {
  useDrawn(true);
  return (
    <p class="panel">
      There is no page here. <a href={linkTo([])}>To the fleet</a>
    </p>
  );
}
