import { toPrintableJson } from '../../domain/printable-text.js';
import { formatTime, microsToNanos, type Micros } from '../../domain/time.js';
import type { PostMortem } from './post-mortem-data.js';

/** Nodes whose history one query requests. */
const MOST_HISTORIES = 10;

/** The GraphQL queries with which readers can check a post-mortem. Later records do not change their answers. */
export function questionsOf(postMortem: PostMortem): string {
  const { node, nodes, chain, component, fromUs, figuresFromUs, toUs, knownAtUs } = postMortem;
  const quote = (name: string): string => toPrintableJson(JSON.stringify(name));
  const timeOf = (us: Micros): string => `"${formatTime(microsToNanos(us))}"`;
  const timeSince = (us: Micros): string =>
    `from: ${timeOf(us)}, to: ${timeOf(toUs)}, knownAt: ${timeOf(knownAtUs)}`;
  const isOfChain = nodes.length > 1 && chain !== null;
  const owner = isOfChain ? `chain: ${quote(chain)}` : `node: ${quote(node)}`;
  const histories = nodes.slice(0, MOST_HISTORIES).map((one, index) => {
    const name = index === 0 ? '' : `healthHistory${index + 1}: `;
    return `  ${name}healthHistory(node: ${quote(one)}, component: ${component}, ${timeSince(fromUs)}) { from to state rule reason }`;
  });
  return [
    `{ intervalReport(${owner}, ${timeSince(figuresFromUs)}) { attempts successes failures sizeBytes holes lostMin lostMax longestWithoutSuccessMs feeMin feeMax failedAttempts failedFeeMax coverage counted`,
    '    causes { cause { code } count first last } claims { claim nodes falseMinMs falseMaxMs }',
    '    blocks { produced included }',
    '    waits { waited unknown limitMs delayed transactionsDelayed p95Ms maxMs stillWaiting transactionsStillWaiting mostWaiting } }',
    ...(nodes.length > MOST_HISTORIES
      ? [
          `  # Health of ${MOST_HISTORIES} of its ${nodes.length} nodes; query the other nodes in the same way.`,
        ]
      : []),
    ...histories.slice(0, -1),
    `${histories.at(-1) ?? ''} }`,
  ].join('\n');
}
