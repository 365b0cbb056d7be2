import { useState } from 'preact/hooks';
import WHAT_IF from '../data/what-if.graphql?raw';
import type { WhatIfQuery, WhatIfQueryVariables } from '../data/answers.gen.js';
import { ask } from '../data/ask.js';
import type { Period } from '../data/period.js';
import type { View } from '../data/view.js';
import { count, timeSpan, tia } from '../data/words.js';
import { Card } from './card.js';
import { SendingError, useSending } from './sending.js';
import { Table } from './table.js';

const MOST_POLICIES = 10;

/** The cost of a period's recorded blocks in other batches, or at another price. Runs on request only: it reads all of them. */
export function WhatIf(given: { readonly view: View; readonly chain: string; readonly period: Period }) {
  const { view, chain, period } = given;
  const [every, setEvery] = useState(view.get('every') || '1, 10, 100');
  const [price, setPrice] = useState(view.get('gasPrice'));
  const [joined, setJoined] = useState(false);
  const [answer, setAnswer] = useState<WhatIfQuery>();
  const [state, send] = useSending();
  const calculate = async (): Promise<void> => {
    setAnswer(undefined);
    view.type({ every, gasPrice: price });
    const variables: WhatIfQueryVariables = {
      chain,
      from: new Date(period.fromMs).toISOString(),
      to: new Date(period.toMs).toISOString(),
      policies: readCounts(every).map((everyBlocks) => ({ everyBlocks, joined })),
      gasPrice: price.trim() || null,
    };
    setAnswer(await ask<WhatIfQuery>(WHAT_IF, variables, AbortSignal.timeout(60_000)));
  };
  return (
    <Card title="Other batches">
      <p class="quiet">
        The blocks of {period.name} again, with another number of blocks in each batch or at another price:
        fees, and how long blocks would have waited.
      </p>
      <form class="tools" onSubmit={(event) => send(calculate, event)}>
        <label>
          Blocks per batch
          <input
            inputMode="numeric"
            maxLength={100}
            value={every}
            onInput={(event) => setEvery(event.currentTarget.value)}
          />
        </label>
        <label>
          Gas price
          <input
            inputMode="decimal"
            size={9}
            maxLength={20}
            placeholder="price book"
            value={price}
            onInput={(event) => setPrice(event.currentTarget.value)}
          />
          utia
        </label>
        <label>
          <input
            type="checkbox"
            checked={joined}
            onChange={(event) => setJoined(event.currentTarget.checked)}
          />
          Headers and data together
        </label>
        <button class="first">Calculate</button>
        <span role="status">{state === 'sending' && 'Calculating…'}</span>
        <SendingError state={state} />
      </form>
      {answer && <Outcomes report={answer.whatIf} />}
    </Card>
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
        stacks
        title={`${count(blocksFloat)} blocks${blocksMissingFloat ? `; ${count(blocksMissingFloat)} more were never observed` : ''}`}
        none=""
        rows={[
          {
            name: 'as recorded',
            submissionsFloat: baseline.submissionsFloat,
            fee: tia(baseline.feeMinFloat, baseline.feeMaxFloat),
            inclusionLagMs: baseline.inclusionLagMs,
          },
          ...policies.map(
            ({ everyBlocks, joined: isJoined, submissionsFloat, feeFloat, inclusionLagMs }) => ({
              name: `every ${count(everyBlocks)} ${everyBlocks === 1 ? 'block' : 'blocks'}${isJoined ? ', together' : ''}`,
              submissionsFloat,
              fee: tia(feeFloat, feeFloat),
              inclusionLagMs,
            }),
          ),
        ]}
        columns={[
          { name: 'Batches', cell: ({ name }) => name },
          { name: 'Submissions', isNumber: true, cell: (row) => count(row.submissionsFloat) },
          { name: 'Fee', isNumber: true, cell: ({ fee }) => fee },
          { name: 'Inclusion p50', isNumber: true, cell: (row) => timeSpan(row.inclusionLagMs?.p50) },
          { name: 'Inclusion p99', isNumber: true, cell: (row) => timeSpan(row.inclusionLagMs?.p99) },
        ]}
      />
      {notes.length > 0 && (
        <ul class="quiet">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}
