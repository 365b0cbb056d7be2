import { nearestCount, nearestSize, toCount, toHeight, toInt64 } from '../bounds.js';
import type { BlockRecord } from './block.js';

/**
 * A block of the log with numbers that tables and sums take. DA heights and sizes that cannot be are unknown; times and
 * versions, which no block is without, become the nearest ones. None where its height can be none.
 */
export function boundBlock(block: BlockRecord): [] | [BlockRecord] {
  const { header } = block;
  if (toHeight(header.height) === null) return [];
  const { versionBlock, versionApp, timeNs } = header;
  const bounded = {
    versionBlock: toInt64(versionBlock),
    versionApp: toInt64(versionApp),
    timeNs: toInt64(timeNs),
  };
  return [
    {
      ...block,
      header: { ...header, ...bounded },
      txCount: nearestCount(block.txCount),
      txBytes: nearestSize(block.txBytes),
      headerBlobBytes: toCount(block.headerBlobBytes),
      dataBlobBytes: toCount(block.dataBlobBytes),
      headerDaHeight: toHeight(block.headerDaHeight),
      dataDaHeight: toHeight(block.dataDaHeight),
    },
  ];
}
