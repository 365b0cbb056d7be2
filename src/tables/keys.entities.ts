import type { Micros } from '../domain/time.js';
import { Table, bytea, int8, text, timestamptz } from './columns.js';

@Table(
  'api_key',
  'The API keys that hindsight keys has made, living and revoked. Those of the settings are not here.',
)
export class ApiKeyEntity {
  @int8('Counts up. A name that is used again is another row.', { key: true, identity: true })
  apiKeyId: bigint;
  @text('As events name it; one living key bears it at a time.') name: string;
  @text('read: may ask. write: may also set prices, import fees and ask for jobs. admin: may do everything.')
  scope: string;
  @bytea(
    'SHA-256 of the key, which is 256 random bits in text: there is nothing to guess that salt or a slow hash would protect.',
  )
  hash: string;
  @timestamptz("The database's clock.", { default: 'now()' }) createdAt: Micros;
  @timestamptz.orNull("To about a minute, the database's clock; null: never used.") lastUsedAt: Micros | null;
  @timestamptz.orNull("From then on it is refused, the database's clock; null: it lives.")
  revokedAt: Micros | null;
}
