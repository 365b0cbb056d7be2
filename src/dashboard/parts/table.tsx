import type { ComponentChildren } from 'preact';

const LONGEST_VALUE = 40;

/** A table that can be scrolled sideways by mouse and by keyboard. */
export function Table(given: {
  readonly caption: string;
  /** Its name among the page's regions, where others have the same caption. */
  readonly name?: string;
  /** The sentence that stands there when there are no rows. */
  readonly none: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** On a phone each row is a block with a line for each value: of rows that are read one by one. */
  readonly stacks?: boolean;
}) {
  const { caption, name = caption, none, columns, rows, stacks = false } = given;
  return (
    <section class="panel scrolls" tabIndex={0} aria-label={name}>
      {/* Roles, because a table whose rows are drawn as blocks is none to some browsers. */}
      <table class={stacks ? 'stacks' : undefined} role={rows.length > 0 ? 'table' : undefined}>
        <caption>{caption}</caption>
        {rows.length > 0 && (
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((name) => (
                <th key={name} scope="col" role="columnheader">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        {rows.length > 0 && (
          <tbody role="rowgroup">
            {rows.map((cells, index) => (
              <tr key={index} role="row">
                {cells.map((cell, column) => (
                  <td key={column} role="cell" data-name={columns[column]}>
                    {isLong(cell) ? <span class="text">{cell}</span> : cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        )}
      </table>
      {rows.length === 0 && <p class="quiet">{none}</p>}
    </section>
  );
}

/** Sentences are broken into lines; short values are not. */
function isLong(cell: ComponentChildren): boolean {
  return typeof cell === 'string' && cell.length > LONGEST_VALUE;
}
