import { useState } from 'preact/hooks';
import WHAT_IF from '../data/what-if.graphql?raw';
import type { WhatIfQuery, WhatIfQueryVariables } from '../data/answers.gen.js';
import { ask } from '../data/ask.js';
import type { Period } from '../data/period.js';
import type { View } from '../data/view.js';
import { count, timeSpan, tia } from '../data/words.js';
import { Table } from './table.js';

const MOST_POLICIES = 10;

/** The cost of a period's recorded blocks in other batches, or at another price. Runs on request only: it reads all of them. */
export function WhatIf(given: { readonly view: View; readonly chain: string; readonly period: Period }) {
  const { view, chain, period } = given;
  const [every, setEvery] = useState(view.get('every') || '1, 10, 100');
  const [price, setPrice] = useState(view.get('gasPrice'));
  const [joined, setJoined] = useState(false);
  const [answer, setAnswer] = useState<WhatIfQuery>();
  const [message, setMessage] = useState('');
  const reckon = async (event: Event): Promise<void> => {
    event.preventDefault();
    setMessage('Computing…');
    setAnswer(undefined);
    view.type({ every, gasPrice: price });
    const variables: WhatIfQueryVariables = {
      chain,
      from: new Date(period.fromMs).toISOString(),
      to: new Date(period.toMs).toISOString(),
      policies: readCounts(every).map((everyBlocks) => ({ everyBlocks, joined })),
      gasPrice: price.trim() || null,
    };
    try {
      setAnswer(await ask<WhatIfQuery>(WHAT_IF, variables, AbortSignal.timeout(60_000)));
      setMessage('');
    } catch (error) {
      setMessage((error as Error).message);
    }
  };
  return (
    <section aria-labelledby="what-if">
      <h2 id="what-if">What if these blocks had been batched differently?</h2>
      <form class="tools" onSubmit={(event) => void reckon(event)}>
        <label>
          Blocks per batch{' '}
          <input
            inputMode="numeric"
            maxLength={100}
            value={every}
            onInput={(event) => setEvery(event.currentTarget.value)}
          />
        </label>
        <label>
          at a gas price of{' '}
          <input
            inputMode="decimal"
            size={8}
            maxLength={20}
            placeholder="the book's"
            value={price}
            onInput={(event) => setPrice(event.currentTarget.value)}
          />{' '}
          utia
        </label>
        <label>
          <input
            type="checkbox"
            checked={joined}
            onChange={(event) => setJoined(event.currentTarget.checked)}
          />{' '}
          headers and data together
        </label>
        <button>Compute {period.name}</button>
        <span role="status">{message}</span>
      </form>
      {answer && <Outcomes report={answer.whatIf} />}
    </section>
  );
}

/** The numbers in a text; at most ten. */
function readCounts(text: string): number[] {
  return (text.match(/\d{1,6}/g) ?? []).map(Number).slice(0, MOST_POLICIES);
}

function Outcomes({ report }: { readonly report: WhatIfQuery['whatIf'] }) {
  const { baseline, policies, blocksFloat, blocksMissingFloat, notes } = report;
  return (
    <>
      <Table
        caption={`${count(blocksFloat)} blocks; ${count(blocksMissingFloat)} more were never observed`}
        none=""
        columns={['Batches', 'Submissions', 'Fee', 'Inclusion p50', 'Inclusion p99']}
        rows={[
          [
            'as recorded',
            count(baseline.submissionsFloat),
            tia(baseline.feeMinFloat, baseline.feeMaxFloat),
            timeSpan(baseline.inclusionLagMs?.p50),
            timeSpan(baseline.inclusionLagMs?.p99),
          ],
          ...policies.map((policy) => [
            `every ${count(policy.everyBlocks)} ${policy.everyBlocks === 1 ? 'block' : 'blocks'}${policy.joined ? ', together' : ''}`,
            count(policy.submissionsFloat),
            tia(policy.feeFloat, policy.feeFloat),
            timeSpan(policy.inclusionLagMs?.p50),
            timeSpan(policy.inclusionLagMs?.p99),
          ]),
        ]}
      />
      {notes.length > 0 && (
        <ul class="panel">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}
