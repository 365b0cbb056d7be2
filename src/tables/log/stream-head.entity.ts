import { Table, bytea, int8, json, text } from '../columns.js';

@Table('stream_head', 'The end of each stream, for optimistic appends, and what its observer knows there.')
export class StreamHeadEntity {
  @text('The stream.', { key: true }) stream: string;
  @int8("Version of the stream's last event.") version: bigint;
  @bytea("Hash of the stream's last event.") hash: string;
  @json.orNull("The observer's state after that event, written in the same transaction.") state: unknown;
}
