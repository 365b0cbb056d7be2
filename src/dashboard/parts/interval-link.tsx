import type { ComponentChildren } from 'preact';
import { zoomedTo } from '../data/range.js';
import { linkTo } from '../data/view.js';
import { moment } from '../data/words.js';

/** The beginning of an interval, or other words, as a link to its whole time on the page of the node. */
export function IntervalLink(given: {
  readonly node: string;
  readonly from: string;
  readonly to: string;
  readonly children?: ComponentChildren;
}) {
  const { node, from, to, children = moment(from) } = given;
  return <a href={linkTo(['node', node], zoomedTo(Date.parse(from), Date.parse(to)))}>{children}</a>;
}
