import type { FleetQuery } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { attentionOf, bySeverity } from '../data/verdict.js';

/** So many are read at a glance; the others are folded. */
const MOST_SHOWN = 12;

/** What is the matter with nodes, in words, the worst first. */
export function NeedsAttention({
  nodes,
  zone,
}: {
  readonly nodes: FleetQuery['nodes'];
  readonly zone: string;
}) {
  const told = nodes
    .toSorted(bySeverity)
    .flatMap((node) => attentionOf(node, zone).map((words) => ({ id: node.id, words })));
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

function toItem({ id, words }: { readonly id: string; readonly words: string }) {
  return (
    <li key={`${id} ${words}`}>
      <a href={linkTo(['node', id])}>{id}</a>: <bdi>{words}</bdi>
    </li>
  );
}
