import type { ComponentChildren } from 'preact';
import { Card } from './card.js';

/** A name and its value; an undefined value leaves the fact out. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** Facts about a thing: names and values, in a card with a heading. */
export function Facts({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) {
  return (
    <Card title={title}>
      <FactList facts={facts} />
    </Card>
  );
}

/** Names and their values, below each other. */
export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return <dl>{facts.map(toRow)}</dl>;
}

/** Figures side by side, large: the first thing to be read of a page. */
export function Tiles({ facts }: { readonly facts: readonly Fact[] }) {
  return <dl class="tiles">{facts.map(toRow)}</dl>;
}

function toRow([name, value]: Fact) {
  return (
    value !== undefined && (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    )
  );
}
