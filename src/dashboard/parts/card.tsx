import type { ComponentChildren } from 'preact';

/** A part of a page with a heading, in a frame. */
export function Card(given: {
  readonly title: ComponentChildren;
  /** Its name among the page's regions, if the title is not a text. */
  readonly name?: string;
  /** The state whose colour marks the card. */
  readonly state?: string | undefined;
  /** Controls and links at the right of the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { title, name, state = '', actions, children } = given;
  return (
    <section class={`card ${state}`} aria-label={name ?? (typeof title === 'string' ? title : undefined)}>
      <header class="card-head">
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** The place of a part whose first answer is awaited. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  );
}

/** A part that has nothing to show: why, and the next step. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p>{title}</p>
      {children && <div class="quiet">{children}</div>}
    </div>
  );
}
