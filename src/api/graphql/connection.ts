import type { Type } from '@nestjs/common';
import { ArgsType, ObjectType } from '@nestjs/graphql';
import { badUserInput } from '../errors.js';
import { bool, field, int, text } from './fields.js';
import type { CursorCodec, PageRequest, CursorKey } from './keyed-list.js';

/** Rows of a page by default, and at most. */
export const DEFAULT_PAGE = 50;
export const LARGEST_PAGE = 1000;

@ObjectType({ description: 'Position of a page in its list.' })
class PageInfo {
  @bool('Whether rows follow this page; for a page by `last`, only whether `before` was given.')
  hasNextPage: boolean;
  @bool('Whether rows precede this page; for a page by `first`, only whether `after` was given.')
  hasPreviousPage: boolean;
  @text.orNull('Cursor of the first row, for `before`; null on an empty page.') startCursor: string | null;
  @text.orNull('Cursor of the last row, for `after`; null on an empty page.') endCursor: string | null;
}

@ArgsType()
export class PagingArgs {
  @int.orNull('Rows from the start of the list, or from `after` on; 50 if left out, at most 1,000.')
  first?: number | null;
  @text.orNull('Only rows after this cursor. It must come from a page with the same order, filter and times.')
  after?: string | null;
  @int.orNull('Rows from the end of the list, or up to `before`; at most 1,000. Not together with `first`.')
  last?: number | null;
  @text.orNull('Only rows before this cursor.') before?: string | null;
}

/** One page of a list: the shape of all connection types. */
export interface Page<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly nodes: readonly T[];
  readonly pageInfo: PageInfo;
}

/** @throws ApiError BAD_USER_INPUT for sizes out of range, `first` with `last`, and cursors of another list */
export function toPageRequest(args: PagingArgs, codec: CursorCodec<never>): PageRequest {
  const { first, last } = args;
  if (isGiven(first) && isGiven(last)) throw badUserInput('Give `first` or `last`, not both.');
  const backwards = isGiven(last);
  const size = last ?? first ?? DEFAULT_PAGE;
  const name = backwards ? 'last' : 'first';
  if (size < 0) throw badUserInput(`\`${name}\` cannot be negative.`);
  if (size > LARGEST_PAGE) {
    throw badUserInput(
      `\`${name}\` can be at most ${LARGEST_PAGE}; continue with \`${backwards ? 'before' : 'after'}\`.`,
    );
  }
  return {
    size,
    backwards,
    after: readCursor('after', args, codec),
    before: readCursor('before', args, codec),
  };
}

function readCursor(
  name: 'after' | 'before',
  args: PagingArgs,
  codec: CursorCodec<never>,
): CursorKey | undefined {
  const text = args[name];
  if (!isGiven(text)) return undefined;
  const cursor = codec.decode(text);
  if (cursor === undefined) {
    throw badUserInput(
      `\`${name}\` is not a cursor of this list: a cursor is valid only for the order, filter and times of its own query.`,
    );
  }
  return cursor;
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/**
 * Makes a page of rows.
 * @param rows in the order they were read (from the end when `backwards`), with one more than `size` if there are more
 */
export function toPage<Row, Node>(
  request: PageRequest,
  rows: readonly Row[],
  codec: CursorCodec<Row>,
  toNode: (row: Row) => Node,
): Page<Node> {
  const hasMore = rows.length > request.size;
  const kept = rows.slice(0, request.size);
  if (request.backwards) kept.reverse();
  const nodes = kept.map(toNode);
  const cursorOf = (row: Row | undefined): string | null => (row === undefined ? null : codec.encode(row));
  let edges: Page<Node>['edges'] | undefined;
  return {
    nodes,
    // Lazy: most queries need only the rows, and then the sort keys may not have been read.
    get edges() {
      edges ??= nodes.map((node, index) => edgeOf(node, () => codec.encode(kept[index] as Row)));
      return edges;
    },
    get pageInfo() {
      return {
        // A given cursor is itself a row, so there are rows on its other side.
        hasNextPage: request.backwards ? request.before !== undefined : hasMore,
        hasPreviousPage: request.backwards ? hasMore : request.after !== undefined,
        startCursor: cursorOf(kept[0]),
        endCursor: cursorOf(kept.at(-1)),
      };
    },
  };
}

function edgeOf<Node>(node: Node, getCursor: () => string): Page<Node>['edges'][number] {
  return {
    node,
    get cursor() {
      return getCursor();
    },
  };
}

/** Makes the connection type of a list and its edge type: `BlockConnection` and `BlockEdge` for `Block`. */
export function connectionOf<T>(node: Type<T>): Type<Page<T>> {
  @ObjectType(`${node.name}Edge`, { description: 'A row of a page, with its cursor.' })
  class Edge {
    @text('Cursor of this row, for `after` and `before`.') cursor: string;

    @field(() => node, 'The row.') node: T;
  }

  @ObjectType(`${node.name}Connection`, { description: 'One page of a list.' })
  class Connection {
    @field(() => [Edge], 'The rows, each with its cursor.') edges: Edge[];

    @field(() => [node], 'The rows of `edges`, without their cursors.') nodes: T[];

    @field(() => PageInfo, 'Position of the page, and how to continue.') pageInfo: PageInfo;
  }
  return Connection;
}
