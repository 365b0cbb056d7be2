import { Table, int4, int8, text } from '../columns.js';

@Table('lineage', 'One history of a chain. A proven difference opens the next one.')
export class LineageEntity {
  @int4('Its number.', { key: true }) lineageKey: number;
  @text('The chain.') chainId: string;
  @int4('Counts from 1 within the chain.') n: number;
  @int8('Position of the event that opened it.') fromPosition: bigint;
}
