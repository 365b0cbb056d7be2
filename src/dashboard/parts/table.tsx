import type { ComponentChildren } from 'preact';

const LONGEST_VALUE = 40;

/** A table that can be scrolled sideways by mouse and by keyboard. */
export function Table(given: {
  readonly caption: string;
  /** The sentence that stands there when there are no rows. */
  readonly none: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}) {
  const { caption, none, columns, rows } = given;
  return (
    <section class="panel scrolls" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        {rows.length > 0 && (
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((cells, index) => (
            <tr key={index}>
              {cells.map((cell, column) => (
                <td key={column}>{isLong(cell) ? <span class="text">{cell}</span> : cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="quiet">{none}</p>}
    </section>
  );
}

/** Sentences are broken into lines; short values are not. */
function isLong(cell: ComponentChildren): boolean {
  return typeof cell === 'string' && cell.length > LONGEST_VALUE;
}
