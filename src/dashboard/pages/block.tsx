import { ChevronLeft, ChevronRight } from 'lucide';
import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { groupBy } from '../../domain/collections.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { BlockQuery, BlockQueryVariables, SearchQuery } from '../data/answers.gen.js';
import { ask } from '../data/ask.js';
import BLOCK from '../data/block.graphql?raw';
import SEARCH from '../data/search.graphql?raw';
import { useAnswer } from '../data/use-answer.js';
import { idsOf, keepingView, linkTo, momentOf, type View } from '../data/view.js';
import { count, moment } from '../data/words.js';
import { useTitle } from '../frame/title.js';
import { Around } from '../parts/around.js';
import { Empty, Skeleton } from '../parts/card.js';
import { Carriers } from '../parts/carriers.js';
import { CopyAs } from '../parts/copy-as.js';
import { ShortId, Size } from '../parts/exactly.js';
import { Facts, type Fact } from '../parts/facts.js';
import { Icon } from '../parts/icon.js';
import { Named } from '../parts/named.js';
import { StateBadge } from '../parts/state-badge.js';

type BlockAnswer = BlockQuery['blocks']['nodes'][number];

/** Shows everything known of a block, `/block/{chain}/{height}`; `/block/{chain}/{hash}` leads there. */
export function BlockPage({ view }: { readonly view: View }) {
  const [chain = '', ...rest] = idsOf(view.path);
  const block = rest.join('/');
  return /^\d{1,18}$/.test(block) ? (
    <BlockOfHeight view={view} chain={chain} height={block} />
  ) : (
    <BlockOfHash chain={chain} hash={block} />
  );
}

function BlockOfHash({ chain, hash }: { readonly chain: string; readonly hash: string }) {
  const { route } = useLocation();
  const [message, setMessage] = useState('Searching for a block with this hash…');
  useEffect(() => {
    const aborter = new AbortController();
    const find = async (): Promise<void> => {
      try {
        const { search } = await ask<SearchQuery>(SEARCH, { text: hash }, aborter.signal);
        const hit = search.find(({ kind, id }) => kind === 'BLOCK' && id.startsWith(`${chain}/`));
        if (hit) route(keepingView(hit.url), true);
        else setMessage('No block of this chain has this hash.');
      } catch (error) {
        if (!aborter.signal.aborted) setMessage((error as Error).message);
      }
    };
    void find();
    return () => aborter.abort();
  }, [chain, hash]);
  useTitle(`Block ${hash}`);
  return (
    <>
      <h1>
        <small>Block</small> <bdi>{toPrintable(hash, 100)}</bdi>
      </h1>
      <Empty title={message}>
        Go to chain <Named kind="chain" id={chain} />, or search by height.
      </Empty>
    </>
  );
}

function BlockOfHeight({
  view,
  chain,
  height,
}: {
  readonly view: View;
  readonly chain: string;
  readonly height: string;
}) {
  const past = momentOf(view);
  const variables: BlockQueryVariables = { chains: [chain], height, ...past };
  const key = JSON.stringify(variables);
  const { answer, error } = useAnswer<BlockQuery>([BLOCK, key, () => variables]);
  const blocks = answer?.blocks.nodes ?? [];
  useTitle(`Block ${height} of ${chain}`);
  const first = blocks[0];
  return (
    <>
      <h1>
        <small>Block</small> {height} <small>of</small> <bdi>{toPrintable(chain)}</bdi>{' '}
        {first && <Inclusion block={included(blocks)} />}
      </h1>
      <Neighbours chain={chain} height={height} />
      {answer === undefined && error === undefined && <Skeleton lines={6} />}
      {answer && first === undefined && (
        <Empty title="No node had shown a block of this height at this moment.">
          Go to chain <Named kind="chain" id={chain} />.
        </Empty>
      )}
      {answer && first && (
        <>
          {versionsOf(blocks).map((version) => (
            <Version key={`${version[0]?.lineage} ${version[0]?.hash}`} blocks={version} />
          ))}
          <Carriers view={view} block={included(blocks)} />
          <Around view={view} atMs={Date.parse(first.time)} node={null} chain={chain} />
          <div class="tools">
            <CopyAs question={BLOCK} variables={variables} answer={answer.blocks} />
          </div>
        </>
      )}
    </>
  );
}

/** Whether the DA layer has the block, as far as known. */
function Inclusion({ block: { headerDaHeight, dataDaHeight } }: { readonly block: BlockAnswer }) {
  if (headerDaHeight !== null && dataDaHeight !== null) return <StateBadge state="HEALTHY" name="included" />;
  const missing = [headerDaHeight === null && 'header', dataDaHeight === null && 'data'].filter(Boolean);
  return <StateBadge state="WARNING" name={`${missing.join(' and ')} pending`} />;
}

function Neighbours({ chain, height }: { readonly chain: string; readonly height: string }) {
  const at = BigInt(height);
  return (
    <nav class="tools" aria-label="Related pages">
      {at > 1n && (
        <a class="button" href={linkTo(['block', chain, String(at - 1n)])}>
          <Icon of={ChevronLeft} />
          Block {String(at - 1n)}
        </a>
      )}
      <a class="button" href={linkTo(['block', chain, String(at + 1n)])}>
        Block {String(at + 1n)}
        <Icon of={ChevronRight} />
      </a>
      <a href={linkTo(['chain', chain])}>
        Chain <bdi>{toPrintable(chain)}</bdi>
      </a>
      <a href={linkTo(['submissions'], { chain })}>
        Submissions of <bdi>{toPrintable(chain)}</bdi>
      </a>
    </nav>
  );
}

/** Groups rows of the same block by fork and hash: nodes can differ. */
function versionsOf(blocks: readonly BlockAnswer[]): BlockAnswer[][] {
  return [...groupBy(blocks, ({ lineage, hash, dataHash }) => `${lineage} ${hash} ${dataHash}`).values()];
}

/** The row that knows most of the block's inclusion. */
function included(blocks: readonly BlockAnswer[]): BlockAnswer {
  const known = ({ headerDaHeight, dataDaHeight }: BlockAnswer): number =>
    Number(headerDaHeight !== null) + Number(dataDaHeight !== null);
  return blocks.reduce((best, block) => (known(block) > known(best) ? block : best));
}

/** A block as some nodes showed it. */
function Version({ blocks }: { readonly blocks: readonly BlockAnswer[] }) {
  const block = included(blocks);
  const size = (value: string | null): Fact[1] => <Size of={value === null ? null : Number(value)} />;
  const hash = (name: string, id: string | null): Fact[1] =>
    id === null ? 'unknown' : <ShortId name={name} id={id} />;
  return (
    <div class="cards fact-cards">
      <Facts
        title="Block"
        facts={[
          ['Time', moment(block.time)],
          ['Transactions', count(block.txCount)],
          ['Size', size(block.dataBytes)],
          ['History', <bdi>{toPrintable(block.lineage)}</bdi>],
          [
            'Shown by',
            <span class="list">
              {blocks.map(({ nodeId }) => (
                <Named key={nodeId} kind="node" id={nodeId} />
              ))}
            </span>,
          ],
        ]}
      />
      <Facts
        title="On the DA layer"
        facts={[
          ['Header at DA height', block.headerDaHeight ?? 'pending'],
          ['Data at DA height', block.dataDaHeight ?? 'pending'],
          ['Posted', postedAt(block)],
          ['Header blob', size(block.headerBlobBytes)],
          ['Data blob', size(block.dataBlobBytes)],
        ]}
      />
      <Facts
        title="Hashes"
        facts={[
          ['Header', hash('hash of the header', block.hash)],
          ['Previous header', hash('hash of the previous header', block.lastHeaderHash)],
          ['Data', hash('hash of the data', block.dataHash)],
          ['State', hash('hash of the state', block.appHash)],
          ['Proposer', hash('address of the proposer', block.proposerAddress)],
        ]}
      />
      <Facts
        title="Checks"
        facts={CHECKS.map(([name, words]) => [words, <Check result={block.checks[name]} />])}
      />
    </div>
  );
}

/** When the later of header and data was posted. The DA heights can be known even if no list showed a success. */
function postedAt(block: BlockAnswer): string {
  if (block.includedAt !== null) return moment(block.includedAt);
  return block.headerDaHeight === null || block.dataDaHeight === null ? 'not yet' : 'unknown';
}

const CHECKS = [
  ['link', 'Link to previous block'],
  ['hash', 'Hash of the header'],
  ['signature', 'Signature'],
  ['proposer', 'Proposer'],
  ['data', 'Hash of the data'],
] as const;

function Check({ result }: { readonly result: BlockAnswer['checks']['link'] }) {
  if (result === 'FAILED') return <StateBadge state="CRITICAL" name="invalid" />;
  return <>{result === 'PASSED' ? 'valid' : 'not checked'}</>;
}
