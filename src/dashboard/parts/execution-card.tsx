import { toPrintable } from '../../domain/printable-text.js';
import type { OwnerQuery } from '../data/answers.gen.js';
import { count, sentence } from '../data/words.js';
import { Card } from './card.js';
import { FactList } from './facts.js';
import { StateBadge } from './state-badge.js';

type ExecutionLayer = OwnerQuery['executionLayers'][number];

/** The execution layer of a node: its state, its head beside that of the rollup, and whether their states agree. */
export function ExecutionCard(given: { readonly layer: ExecutionLayer }) {
  const { layer } = given;
  const { nodeId, state, reason, headFloat, rollupHeightFloat } = layer;
  return (
    <Card title={`Execution layer of ${toPrintable(nodeId)}`} actions={<StateBadge state={state} />}>
      <p class="quiet">
        <bdi>{sentence(reason, 500)}</bdi>
      </p>
      <FactList
        facts={[
          ['Head', count(headFloat)],
          ['Height of the rollup', count(rollupHeightFloat)],
          ['States', agreementOf(layer)],
        ]}
      />
    </Card>
  );
}

function agreementOf({ agrees, comparedHeight, firstDifference }: ExecutionLayer): string {
  if (agrees === null || comparedHeight === null) return 'not compared';
  if (agrees) return `equal at ${comparedHeight}`;
  return `different at ${comparedHeight}${firstDifference === null ? '' : `, first at ${firstDifference}`}`;
}
