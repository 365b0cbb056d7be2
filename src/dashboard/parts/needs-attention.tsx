import { Fragment } from 'preact';
import type { FleetQuery } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { attentionOfAll } from '../data/verdict.js';

/** Most entries shown, which are read at a glance; the others are folded. */
const MOST_SHOWN = 12;
/** Most nodes named per entry; all nodes are listed below. */
const MOST_NAMED = 8;

/** The troubles of nodes in words, the worst first. */
export function NeedsAttention({
  nodes,
  zone,
}: {
  readonly nodes: FleetQuery['nodes'];
  readonly zone: string;
}) {
  const told = attentionOfAll(nodes, zone);
  if (told.length === 0) return null;
  const rest = told.slice(MOST_SHOWN);
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <ul class="panel">{told.slice(0, MOST_SHOWN).map(toItem)}</ul>
      {rest.length > 0 && (
        <details class="panel">
          <summary>And {rest.length} more</summary>
          <ul>{rest.map(toItem)}</ul>
        </details>
      )}
    </section>
  );
}

function toItem({ ids, words }: ReturnType<typeof attentionOfAll>[number]) {
  const rest = ids.length - MOST_NAMED;
  return (
    <li key={words}>
      {ids.slice(0, MOST_NAMED).map((id, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <a href={linkTo(['node', id])}>{id}</a>
        </Fragment>
      ))}
      {rest > 0 && ` and ${rest} more`}: <bdi>{words}</bdi>
    </li>
  );
}
