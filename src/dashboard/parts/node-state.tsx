import { UNWATCHED_RULES } from '../../domain/health/trouble.js';
import type { NodeFragment } from '../data/answers.gen.js';
import { attentionOf, isUnseen, worstOf } from '../data/verdict.js';
import { StateBadge } from './state-badge.js';

/** The state of a node, and why it is not healthy: in words, because touch screens cannot hover. */
export function NodeState({
  node,
  hasBadge = true,
  hasReasons = true,
}: {
  readonly node: NodeFragment;
  /** Whether the state is shown next to the reasons. */
  readonly hasBadge?: boolean;
  readonly hasReasons?: boolean;
}) {
  if (node.retired) return <StateBadge state="UNKNOWN" name="no longer monitored" />;
  if (isUnseen(node)) return <StateBadge state="UNKNOWN" name="not monitored yet" />;
  return (
    <div class="node-state">
      {hasBadge && <StateBadge state={worstOf(node)} />}
      {(hasReasons ? attentionOf(node) : []).map((words) => (
        <bdi key={words} class="quiet">
          {words}
        </bdi>
      ))}
    </div>
  );
}

/** When a node that is no longer monitored was last monitored; null when unknown. */
export function watchedUntil({ retired, da }: Pick<NodeFragment, 'retired' | 'da'>): string | null {
  return retired && da !== null && UNWATCHED_RULES.has(da.rule) ? da.from : null;
}
