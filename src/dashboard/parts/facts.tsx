import type { ComponentChildren } from 'preact';

/** A name and its value; left out where the value is undefined. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** What is known of a thing: names and values, in a card with a heading. */
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
