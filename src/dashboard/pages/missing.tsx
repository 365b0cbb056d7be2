import { linkTo } from '../data/view.js';
import { useTitle } from '../frame/title.js';
import { Empty } from '../parts/card.js';

/** Says that there is no page at this path. */
export function MissingPage() {
  useTitle('No such page');
  return (
    <>
      <h1>No such page</h1>
      <Empty title="There is no page at this address.">
        Go to the <a href={linkTo([''])}>fleet</a>, or search by id, hash or height.
      </Empty>
    </>
  );
}
