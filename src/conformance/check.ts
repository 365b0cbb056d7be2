import type { NodeAnswers } from './node-answers.js';

/** How a node's answer matches one row of the specification's tables. */
type CheckVerdict =
  /** As the specification says. */
  | 'AS_SPECIFIED'
  /** It exists under another name, in another form or with another status. */
  | 'OTHERWISE'
  /** The node does not offer it. */
  | 'MISSING'
  /** It could not be observed now: no submission yet, no failure in the list, DA monitoring off. */
  | 'NOT_SEEN';

export interface CheckFinding {
  readonly verdict: CheckVerdict;
  /** The result in a few words. */
  readonly found: string;
}

/** One row of a table of the node's interface that can be checked from outside. */
export interface Check {
  /** Section of the specification, e.g. `2.1`. */
  readonly section: string;
  /** The subject of the row, by the specification's name. */
  readonly row: string;
  /** How Hindsight uses it, whatever form it comes in. */
  readonly use: string;
  /** The consequence for Hindsight if the node does not offer it; undefined: there is none. */
  readonly instead?: string;
  readonly judge: (answers: NodeAnswers) => CheckFinding;
}

export function asSpecified(found: string): CheckFinding {
  return { verdict: 'AS_SPECIFIED', found };
}

export function otherwise(found: string): CheckFinding {
  return { verdict: 'OTHERWISE', found };
}

export function missing(found: string): CheckFinding {
  return { verdict: 'MISSING', found };
}

export function notSeen(found: string): CheckFinding {
  return { verdict: 'NOT_SEEN', found };
}
