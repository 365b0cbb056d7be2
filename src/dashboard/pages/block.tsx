import { useEffect, useState } from 'preact/hooks';
import BLOCK from '../data/block.graphql?raw';
import SEARCH from '../data/search.graphql?raw';
import { toPrintable } from '../../domain/printable-text.js';
import type { BlockQuery, BlockQueryVariables, SearchQuery } from '../data/answers.gen.js';
import { ask } from '../data/ask.js';
import { useAnswer } from '../data/use-answer.js';
import { idsOf, keepingView, linkTo, momentOf, zoneOf, type View } from '../data/view.js';
import { bytes, count, moment } from '../data/words.js';
import { Around } from '../parts/around.js';
import { Carriers } from '../parts/carriers.js';
import { CopyAs } from '../parts/copy-as.js';
import { Exactly } from '../parts/exactly.js';
import { Facts, type Fact } from '../parts/facts.js';
import { Trouble, useDrawn } from '../parts/states.js';
import { Named } from '../parts/submission-facts.js';

type Block = BlockQuery['blocks']['nodes'][number];

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
  const [message, setMessage] = useState('Looking for a block of this hash…');
  useEffect(() => {
    const aborter = new AbortController();
    const find = async (): Promise<void> => {
      try {
        const { search } = await ask<SearchQuery>(SEARCH, { text: hash }, aborter.signal);
        const hit = search.find(({ kind, id }) => kind === 'BLOCK' && id.startsWith(`${chain}/`));
        if (hit) location.replace(keepingView(hit.url));
        else setMessage('No block of this chain has this hash.');
      } catch (error) {
        if (!aborter.signal.aborted) setMessage((error as Error).message);
      }
    };
    void find();
    return () => aborter.abort();
  }, [chain, hash]);
  useDrawn(message.startsWith('No'), `Block ${hash}`);
  return (
    <>
      <h1 class="verdict">
        <small>Block</small> <bdi>{toPrintable(hash, 100)}</bdi>
      </h1>
      <p class="panel">
        {message} <a href={linkTo(['chain', chain])}>To the chain</a>
      </p>
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
  const [past, zone] = [momentOf(view), zoneOf(view)];
  const variables: BlockQueryVariables = { chains: [chain], height, ...past };
  const key = JSON.stringify(variables);
  const { answer, error, answeredMs, again } = useAnswer<BlockQuery>(BLOCK, key, () => variables);
  const blocks = answer?.blocks.nodes;
  useDrawn(blocks?.length === 0 || error !== undefined, `Block ${height} of ${chain}`);
  const first = blocks?.[0];
  return (
    <>
      <h1 class="verdict">
        <small>Block</small> {height} <small>of</small> <bdi>{toPrintable(chain)}</bdi>
      </h1>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      <Neighbours chain={chain} height={height} />
      {blocks?.length === 0 && (
        <p class="panel">
          No node had shown a block of this height at this moment.{' '}
          <a href={linkTo(['chain', chain])}>To the chain</a>
        </p>
      )}
      {answer && first && (
        <>
          <div class="cards">
            {versionsOf(answer.blocks.nodes).map((version) => (
              <Version key={version[0]?.lineage} blocks={version} zone={zone} />
            ))}
          </div>
          <Carriers view={view} zone={zone} block={included(answer.blocks.nodes)} />
          <Around view={view} zone={zone} atMs={Date.parse(first.time)} node={null} chain={chain} />
          <CopyAs question={BLOCK} variables={variables} answer={answer.blocks} />
        </>
      )}
    </>
  );
}

function Neighbours({ chain, height }: { readonly chain: string; readonly height: string }) {
  const at = BigInt(height);
  return (
    <nav class="tools" aria-label="Related pages">
      {at > 1n && <a href={linkTo(['block', chain, String(at - 1n)])}>Block {String(at - 1n)}</a>}
      <a href={linkTo(['block', chain, String(at + 1n)])}>Block {String(at + 1n)}</a>
      <a href={linkTo(['chain', chain])}>
        Chain <bdi>{toPrintable(chain)}</bdi>
      </a>
    </nav>
  );
}

/** Groups rows of the same block by fork and hash: nodes can differ. */
function versionsOf(blocks: readonly Block[]): Block[][] {
  const versions = new Map<string, Block[]>();
  for (const block of blocks) {
    const key = `${block.lineage} ${block.hash} ${block.dataHash}`;
    versions.set(key, [...(versions.get(key) ?? []), block]);
  }
  return [...versions.values()];
}

/** The row that knows most of the block's inclusion. */
function included(blocks: readonly Block[]): Block {
  const known = ({ headerDaHeight, dataDaHeight }: Block): number =>
    Number(headerDaHeight !== null) + Number(dataDaHeight !== null);
  return blocks.reduce((best, block) => (known(block) > known(best) ? block : best));
}

/** A block as some nodes showed it. */
function Version({ blocks, zone }: { readonly blocks: readonly Block[]; readonly zone: string }) {
  const block = included(blocks);
  const size = (value: string | null): Fact[1] =>
    value === null ? 'unknown' : <Exactly short={bytes(Number(value))} exact={`${value} bytes`} />;
  const checks = Object.entries(block.checks).map(([name, result]) => `${name} ${CHECKS[result]}`);
  return (
    <>
      <Facts
        title="Block"
        facts={[
          ['Time', moment(block.time, zone)],
          ['History', <bdi>{toPrintable(block.lineage)}</bdi>],
          [
            'Shown by',
            <span class="list">
              {blocks.map(({ nodeId }) => (
                <Named kind="node" id={nodeId} />
              ))}
            </span>,
          ],
          ['Transactions', count(block.txCount)],
          ['Bytes of transactions', size(block.dataBytes)],
          ['Checked', checks.join(', ')],
        ]}
      />
      <Facts
        title="On the DA layer"
        facts={[
          ['Header at DA height', block.headerDaHeight ?? 'it waits'],
          ['Data at DA height', block.dataDaHeight ?? 'they wait'],
          ['Header and data posted', postedAt(block, zone)],
          ['Bytes of the header as posted', size(block.headerBlobBytes)],
          ['Bytes of the data as posted', size(block.dataBlobBytes)],
        ]}
      />
      <Facts
        title="Hashes"
        facts={[
          ['Header', <code>{block.hash ?? 'unknown'}</code>],
          ['Previous header', <code>{block.lastHeaderHash ?? 'unknown'}</code>],
          ['Data', <code>{block.dataHash}</code>],
          ['State', <code>{block.appHash ?? 'unknown'}</code>],
          ['Proposer', <code>{block.proposerAddress}</code>],
        ]}
      />
    </>
  );
}

/** When the later of header and data was posted. The DA heights can be known even if no list showed a success. */
function postedAt(block: Block, zone: string): string {
  if (block.includedAt !== null) return moment(block.includedAt, zone);
  return block.headerDaHeight === null || block.dataDaHeight === null ? 'not yet' : 'unknown';
}

const CHECKS = { PASSED: 'right', FAILED: 'WRONG', NOT_CHECKED: 'not checked' } as const;
