import type { DecodedBlock } from '../../src/domain/blocks/block.js';
import { decodeBlock } from '../../src/node-api/decode-block.js';
import { loadRecording } from './recording.js';

const loaded = new Map<string, readonly DecodedBlock[]>();

/** Every block of a recording as last shown (with its DA heights), lowest height first. */
export function loadRecordedBlocks(file: 'aggregator' | 'follower'): readonly DecodedBlock[] {
  const known = loaded.get(file);
  if (known) return known;
  const blocks: DecodedBlock[] = [];
  for (const [request, lines] of loadRecording(file).lines) {
    const answer = lines.findLast((line) => line.answer?.status === 200)?.answer;
    if (!request.includes('/GetBlock ') || !answer) continue;
    const decoding = decodeBlock(JSON.parse(answer.body.toString('utf8')));
    if (!decoding.ok) throw new Error(`${request}: ${decoding.detail}`);
    blocks.push(decoding.block);
  }
  blocks.sort((a, b) => Number(a.header.height - b.header.height));
  loaded.set(file, blocks);
  return blocks;
}
