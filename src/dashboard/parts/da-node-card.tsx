import { toPrintable } from '../../domain/printable-text.js';
import type { AccountFragment, OwnerQuery } from '../data/answers.gen.js';
import { count, sentence, timeSpan } from '../data/words.js';
import { accountFacts } from './account-facts.js';
import { Card } from './card.js';
import { FactList } from './facts.js';
import { StateBadge } from './state-badge.js';

type DaNode = OwnerQuery['daNodes'][number];

/** The DA node that a node posts through: its state, the age of its head, and how long its accounts last. */
export function DaNodeCard(given: {
  readonly daNode: DaNode;
  readonly accounts: readonly AccountFragment[];
}) {
  const { daNode, accounts } = given;
  const { nodeId, state, reason } = daNode;
  return (
    <Card title={`DA node of ${toPrintable(nodeId)}`} actions={<StateBadge state={state ?? 'UNKNOWN'} />}>
      {reason !== null && (
        <p class="quiet">
          <bdi>{sentence(reason, 500)}</bdi>
        </p>
      )}
      <FactList
        facts={[
          ['Head', count(daNode.headFloat)],
          ['Age of the head', timeSpan(daNode.headAgeMs)],
          ...accounts.flatMap((account) => accountFacts(account)),
        ]}
      />
    </Card>
  );
}
