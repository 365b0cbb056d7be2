import type { ComponentChildren } from 'preact';
import { Card } from './card.js';

const LONGEST_VALUE = 40;

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers are at the right, so that their digits are below each other. */
  readonly isNumber?: boolean;
}

/** Rows of a list as a table in a card. It scrolls sideways by mouse and by keyboard. */
export function Table<Row>(given: {
  readonly title: ComponentChildren;
  /** Its name among the page's regions; the title when left out. */
  readonly name?: string;
  readonly actions?: ComponentChildren;
  /** Shown when there are no rows. */
  readonly none: ComponentChildren;
  /** `false` leaves a column out. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly rows: readonly Row[];
  /** On a phone, each row becomes a block with one line per value: for rows that are read one by one. */
  readonly stacks?: boolean;
  /** Shown below the rows, for example links to older rows. */
  readonly children?: ComponentChildren;
}) {
  const { title, actions, none, rows, stacks = false, children } = given;
  const columns = given.columns.filter((column) => column !== false);
  const name = given.name ?? (typeof title === 'string' ? title : 'Rows');
  return (
    <Card title={title} name={name} actions={actions}>
      {rows.length === 0 ? (
        <p class="quiet">{none}</p>
      ) : (
        <div class="scrolls" tabIndex={0} role="group" aria-label={`${name}, rows`}>
          {/* Roles, because some browsers do not treat a table with rows drawn as blocks as a table. */}
          <table class={stacks ? 'stacks' : undefined} role="table" aria-label={name}>
            <thead role="rowgroup">
              <tr role="row">
                {columns.map(({ name: heading, isNumber }) => (
                  <th key={heading} scope="col" role="columnheader" class={isNumber ? 'number' : undefined}>
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {rows.map((row, index) => (
                <tr key={index} role="row">
                  {columns.map((column) => (
                    <Cell key={column.name} column={column} row={row} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {children}
    </Card>
  );
}

function Cell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const value = column.cell(row);
  // Sentences wrap; short values do not.
  const isLong = typeof value === 'string' && value.length > LONGEST_VALUE;
  return (
    <td role="cell" data-name={column.name} class={column.isNumber ? 'number' : undefined}>
      {isLong ? <span class="text">{value}</span> : value}
    </td>
  );
}
