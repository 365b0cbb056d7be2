import { Table, bytea, int4, int8 } from '../columns.js';

@Table('proposer', 'What is equal in most headers of a chain, stored once.')
export class ProposerEntity {
  @int4('Its number.', { key: true }) proposerKey: number;
  @bytea('As in the header.') proposerAddress: string;
  @bytea('As in the header.') validatorHash: string;
  @int8('As in the header.') versionBlock: bigint;
  @int8('As in the header.') versionApp: bigint;
}
