import type { ComponentChildren } from 'preact';

/** A name and its value; an undefined value leaves the fact out. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** Facts about a thing: names and values, in a card with a heading. */
export function Facts({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) {
  return (
    <section class="card facts" aria-label={title}>
      <h2>{title}</h2>
      <dl>
        {facts
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
