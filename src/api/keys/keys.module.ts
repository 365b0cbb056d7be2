import { Module } from '@nestjs/common';
import { ApiKeys } from './api-keys.js';
import { KnownKeys } from './known-keys.js';

/** Who asks, by the key that a request bears. */
@Module({
  providers: [KnownKeys, ApiKeys],
  exports: [ApiKeys],
})
export class KeysModule {}
