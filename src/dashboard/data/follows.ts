import { isSourceOf } from '../../domain/health/failure-source.js';
import type { FailureCode } from '../../domain/submissions/failure-cause.js';

/** An open incident, as far as it decides what follows from what. */
export interface Following {
  readonly id: string;
  readonly chain: string | null;
  readonly component: string;
  readonly severity: string;
  readonly presentState: string | null;
  readonly rule: string;
  /** The page about it. For failing submissions the page names their cause. */
  readonly runbook: string | null;
  readonly from: string;
  readonly lastSignAt: string | null;
  readonly nodes: readonly { readonly nodeId: string }[];
}

/** A follower notices after some time that no blocks come; it never notices before. */
const NOTICED_WITHIN_MS = 30 * 60_000;

/** Rules of a node that answers and makes no blocks, as without its execution layer. */
const WITHOUT_BLOCKS: ReadonlySet<string> = new Set(['head-late', 'head-still', 'not-ready']);
/** Rules of a node that stopped itself, as it does if its execution layer answers and has another state. */
const GONE: ReadonlySet<string> = new Set(['look-failed', 'unreachable']);
const OUT_OF_STEP: ReadonlySet<string> = new Set(['execution-behind', 'execution-differs']);

/**
 * Groups open incidents by cause, worst first and then oldest first. Failing submissions follow from the DA node that explains
 * them, a node without blocks from its execution layer, and a follower that receives no blocks from the only leader of its
 * chain. Where that is not certain, an incident is listed by itself.
 * @param roleOf whether a node is its chain's leader, false for a follower, null when unknown
 */
export function groupByCause<Incident extends Following>(
  incidents: readonly Incident[],
  roleOf: (nodeId: string) => boolean | null,
): { readonly incident: Incident; readonly following: readonly Incident[] }[] {
  const ordered = incidents.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.from < b.from ? -1 : 1));
  const causeOf = (incident: Incident): Incident | undefined => {
    const causes = ordered.filter(
      (cause) => isSystemBehind(cause, incident) || isLeaderOf(cause, incident, roleOf),
    );
    return causes.length === 1 ? causes[0] : undefined;
  };
  const causes = new Map(ordered.map((incident) => [incident, causeOf(incident)]));
  const rootOf = (incident: Incident): Incident => {
    const cause = causes.get(incident);
    return cause === undefined ? incident : rootOf(cause);
  };
  return ordered
    .filter((incident) => causes.get(incident) === undefined)
    .map((incident) => ({
      incident,
      following: ordered.filter((other) => other !== incident && rootOf(other) === incident),
    }));
}

/** Lasting trouble before recovering trouble; what is only a warning at present last, because its card shows a warning. */
function rankOf({ severity, presentState, lastSignAt }: Following): number {
  return (lastSignAt === null ? 0 : 2) + ((presentState ?? severity) === 'WARNING' ? 1 : 0);
}

function isOf({ nodes }: Following, roleOf: (nodeId: string) => boolean | null, role: boolean): boolean {
  return nodes.every(({ nodeId }) => roleOf(nodeId) === role);
}

/** Whether the DA node, or the execution layer, of a node explains the trouble of that node. */
function isSystemBehind(cause: Following, effect: Following): boolean {
  const isShared = effect.nodes.every(({ nodeId }) => cause.nodes.some((other) => other.nodeId === nodeId));
  // Trouble that outlasts the cause has another one.
  if (!isShared || (cause.lastSignAt !== null && effect.lastSignAt === null)) return false;
  if (cause.component === 'DA_NODE')
    return effect.component === 'DA' && isSourceOf(cause.rule, codeOf(effect), cause.severity === 'CRITICAL');
  if (cause.component !== 'EXECUTION' || effect.component !== 'NODE' || cause.severity !== 'CRITICAL')
    return false;
  return WITHOUT_BLOCKS.has(effect.rule) || (GONE.has(effect.rule) && OUT_OF_STEP.has(cause.rule));
}

/** The cause of failures to fix first; null if unknown. */
function codeOf({ runbook }: Following): FailureCode | null {
  const [, section] = runbook?.split('#') ?? [];
  return section === undefined ? null : (section.toUpperCase() as FailureCode);
}

function isLeaderOf(
  cause: Following,
  effect: Following,
  roleOf: (nodeId: string) => boolean | null,
): boolean {
  const afterMs = Date.parse(effect.from) - Date.parse(cause.from);
  return (
    cause.component === 'NODE' &&
    cause.severity === 'CRITICAL' &&
    cause.chain !== null &&
    cause.chain === effect.chain &&
    effect.component === 'NODE' &&
    afterMs >= 0 &&
    afterMs <= NOTICED_WITHIN_MS &&
    isOf(effect, roleOf, false) &&
    isOf(cause, roleOf, true)
  );
}
