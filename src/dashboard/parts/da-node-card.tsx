import { toPrintable } from '../../domain/printable-text.js';
import type { SubjectQuery } from '../data/answers.gen.js';
import { moment, sentence, tia, timeSpan } from '../data/words.js';
import { Card } from './card.js';
import { FactList, type Fact } from './facts.js';
import { StateBadge } from './state-badge.js';

type DaNode = SubjectQuery['daNodes'][number];
type Account = SubjectQuery['accounts'][number];

/** The DA node that a node posts through: its state, the age of its head, and how long its accounts last. */
export function DaNodeCard(given: {
  readonly daNode: DaNode;
  readonly accounts: readonly Account[];
  readonly zone: string;
}) {
  const { daNode, accounts, zone } = given;
  const { nodeId, state, reason } = daNode;
  return (
    <Card title={`DA node of ${toPrintable(nodeId)}`} actions={<StateBadge state={state ?? 'UNKNOWN'} />}>
      {reason !== null && (
        <p class="quiet">
          <bdi>{sentence(reason, zone, 500)}</bdi>
        </p>
      )}
      <FactList
        facts={[
          ['Head', daNode.head ?? 'unknown'],
          ['Age of the head', timeSpan(daNode.headAgeMs)],
          ...accounts.flatMap((account) => factsOf(account, zone)),
        ]}
      />
    </Card>
  );
}

function factsOf({ address, balanceFloat, detail, runway }: Account, zone: string): Fact[] {
  const name = shortAddress(address);
  const isSame = runway?.from === runway?.to;
  const end =
    runway?.from &&
    (isSame ? moment(runway.from, zone) : `${moment(runway.from, zone)} to ${moment(runway.to, zone)}`);
  return [
    [
      `Balance of ${name}`,
      <span title={toPrintable(address)}>
        {balanceFloat === null ? `unknown: ${toPrintable(detail, 200)}` : tia(balanceFloat, balanceFloat)}
      </span>,
    ],
    [`${name} lasts until`, end ?? 'unknown'],
  ];
}

/** Both ends of an address: enough to distinguish accounts. */
function shortAddress(address: string): string {
  const text = toPrintable(address);
  return text.length <= 20 ? text : `${text.slice(0, 13)}…${text.slice(-4)}`;
}
