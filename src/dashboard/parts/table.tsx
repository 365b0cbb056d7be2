import type { ComponentChildren } from 'preact';

const LONGEST_VALUE = 40;

/** A table that scrolls sideways by mouse and by keyboard. */
export function Table(given: {
  readonly caption: string;
  /** Its name among the page's regions, if other tables have the same caption. */
  readonly name?: string;
  /** The sentence shown when there are no rows. */
  readonly none: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** On a phone, each row becomes a block with one line per value: for rows that are read one by one. */
  readonly stacks?: boolean;
}) {
  const { caption, name = caption, none, columns, rows, stacks = false } = given;
  return (
    <section class="panel scrolls" tabIndex={0} aria-label={name}>
      {/* Roles, because some browsers do not treat a table with rows drawn as blocks as a table. */}
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

/** Sentences wrap; short values do not. */
function isLong(cell: ComponentChildren): boolean {
  return typeof cell === 'string' && cell.length > LONGEST_VALUE;
}
