import {
  EMPTY_DATA_HASH,
  encodedHeaderBytes,
  encodeHeader,
  hashHeader,
  headerBlobBytes,
} from './block-encoding.js';
import type { PackedBlocks } from './block-facts.js';
import { addressOf } from './block-signature.js';
import type { CheckResults, BlockHeader, BlockRecord, ShownDaHeights } from './block.js';
import {
  hexToBase64,
  type IntegerColumn,
  packColumn,
  packIntegers,
  packSparse,
  packUnexpected,
  remembered,
} from './packed-columns.js';

/**
 * Packs at least one block.
 *
 * @param late results of these blocks for the block before the first; see `VerifiedBlocks`
 * @throws RangeError without blocks
 */
export function packBlocks(
  blocks: readonly BlockRecord[],
  late?: Partial<CheckResults> | null,
): PackedBlocks {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (!first || !last) throw new RangeError('There are no blocks to pack');
  const isRun = blocks.every(({ header }, index) => header.height === first.header.height + BigInt(index));
  return {
    from: String(first.header.height),
    to: String(last.header.height),
    count: blocks.length,
    ...(!isRun && { heights: packIntegers(blocks.map(({ header }) => header.height)) }),
    ...packHeaders(blocks),
    ...packSignatures(blocks),
    ...packContents(blocks),
    ...packChecks(blocks),
    ...(late && !isImplied(late, first) && { late }),
  };
}

function packHeaders(blocks: readonly BlockRecord[]) {
  const headers = blocks.map(({ header }) => header);
  const hashes = blocks.map((block) => block.hash ?? hashHeader(encodeHeader(shownHeader(block))));
  return {
    shownHeights: packSparse(
      blocks.map(({ shownHeight }) => (shownHeight === undefined ? undefined : String(shownHeight))),
    ),
    chainId: packColumn(headers.map(({ chainId }) => chainId)),
    versionBlock: packUnexpected(
      headers.map(({ versionBlock }) => String(versionBlock)),
      () => '0',
    ),
    versionApp: packUnexpected(
      headers.map(({ versionApp }) => String(versionApp)),
      () => '0',
    ),
    times: packIntegers(headers.map(({ timeNs }) => timeNs)),
    lastHeaderHashes: packSparse(
      headers.map(({ lastHeaderHash }, index) =>
        lastHeaderHash === hashes[index - 1] ? undefined : hexToBase64(lastHeaderHash),
      ),
    ),
    dataHashes: packColumn(
      headers.map(({ dataHash }) => (dataHash === EMPTY_DATA_HASH ? 0 : hexToBase64(dataHash))),
    ),
    appHashes: packColumn(
      headers.map(({ appHash }, index) =>
        appHash === headers[index - 1]?.appHash ? null : hexToBase64(appHash),
      ),
    ),
    validatorHashes: packUnexpected(
      headers.map(({ validatorHash }) => hexToBase64(validatorHash)),
      () => '',
    ),
    retired: packUnexpected(
      headers.map(({ unknownFields }) => unknownFields),
      () => false,
    ),
    unhashed: packUnexpected(
      blocks.map(({ hash }) => hash === null),
      (index) => headers[index]?.unknownFields === true,
    ),
  };
}

function packSignatures(blocks: readonly BlockRecord[]) {
  const address = remembered((key) => addressOf(key) ?? '');
  const isDerived = blocks.every(
    ({ header, signerPubKey }) => header.proposerAddress === address(signerPubKey),
  );
  const isSignedByProposer = blocks.every(
    ({ header, signerAddress }) => header.proposerAddress === signerAddress,
  );
  return {
    proposers: isDerived
      ? undefined
      : packColumn(blocks.map(({ header }) => hexToBase64(header.proposerAddress))),
    signatures: packColumn(blocks.map(({ signature }) => hexToBase64(signature))),
    signerKeys: packColumn(blocks.map(({ signerPubKey }) => hexToBase64(signerPubKey))),
    signers: isSignedByProposer
      ? undefined
      : packColumn(blocks.map(({ signerAddress }) => hexToBase64(signerAddress))),
  };
}

function packContents(blocks: readonly BlockRecord[]) {
  const included = (heights: (bigint | null)[]): IntegerColumn | undefined =>
    heights.every((height) => height === null) ? undefined : packIntegers(heights);
  const transactions = (kind: 'hashes' | 'full') =>
    packSparse(
      blocks.map((block) =>
        block.transactions?.kind === kind ? block.transactions.values.map(hexToBase64) : undefined,
      ),
    );
  return {
    txCounts: packColumn(blocks.map(({ txCount }) => txCount)),
    txBytes: packColumn(blocks.map(({ txBytes }) => txBytes)),
    headerBlobBytes: packUnexpected(
      blocks.map((block) => block.headerBlobBytes),
      (index) => expectedHeaderBlobBytes(blocks[index] as BlockRecord),
    ),
    dataBlobBytes: packColumn(blocks.map((block) => block.dataBlobBytes)),
    headerDaHeights: included(blocks.map(({ headerDaHeight }) => headerDaHeight)),
    dataDaHeights: included(blocks.map(({ dataDaHeight }) => dataDaHeight)),
    shownDaHeights: packSparse(blocks.map(({ shownDaHeights }) => shownDaHeights && toTexts(shownDaHeights))),
    txHashes: transactions('hashes'),
    txs: transactions('full'),
  };
}

function packChecks(blocks: readonly BlockRecord[]): Pick<PackedBlocks, 'usualChecks' | 'checks'> {
  const differences = blocks.map(({ checks }) => JSON.stringify(notPassed(checks)));
  const counts = new Map<string, number>();
  for (const difference of differences) counts.set(difference, (counts.get(difference) ?? 0) + 1);
  const [usual] = [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most), ['{}', 0]);
  const checks = packSparse(
    differences.map((difference) =>
      difference === usual ? undefined : (JSON.parse(difference) as Partial<CheckResults>),
    ),
  );
  return {
    usualChecks: usual === '{}' ? undefined : (JSON.parse(usual) as Partial<CheckResults>),
    checks,
  };
}

function notPassed(checks: CheckResults): Partial<CheckResults> {
  const { link, hash, signature, proposer, data } = checks;
  return {
    ...(link !== 'PASSED' && { link }),
    ...(hash !== 'PASSED' && { hash }),
    ...(signature !== 'PASSED' && { signature }),
    ...(proposer !== 'PASSED' && { proposer }),
    ...(data !== 'PASSED' && { data }),
  };
}

function isImplied(late: Partial<CheckResults>, first: BlockRecord): boolean {
  return first.checks.link === 'PASSED' && Object.keys(late).length === 1 && late.hash === 'PASSED';
}

function expectedHeaderBlobBytes(block: BlockRecord): number | null {
  return block.hash === null
    ? null
    : headerBlobBytes(encodedHeaderBytes(shownHeader(block)), block.signature, block);
}

function toTexts([header, data]: ShownDaHeights): readonly [string | null, string | null] {
  return [header?.toString() ?? null, data?.toString() ?? null];
}

/** The header as the node sent it, including a damaged height. */
function shownHeader({ header, shownHeight }: BlockRecord): BlockHeader {
  return shownHeight === undefined ? header : { ...header, height: shownHeight };
}
