import { useDrawn } from '../parts/states.js';

/** What stands at a path of no page. */
export function MissingPage() {
  useDrawn(true);
  return (
    <p class="panel">
      There is no page here. <a href="/">To the fleet</a>
    </p>
  );
}
