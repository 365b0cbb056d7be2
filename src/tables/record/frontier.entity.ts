import { int2, int4, int8, jsonb, Table } from '../columns.js';

@Table('frontier', 'How far what blocks point to is decided.')
export class FrontierEntity {
  @int4('The history of the chain.', { key: true }) lineageKey: number;
  @int2('0 HEADER, 1 DATA.', { key: true }) kind: number;
  @int8('DA heights below are decided.') below: bigint;
  @jsonb(
    "What walks have passed and lists have yet to be looked at for: each a time (Unix microseconds, observer's clock), the first DA height, and the first one behind.",
  )
  stairs: readonly (readonly [string, string, string])[];
}
