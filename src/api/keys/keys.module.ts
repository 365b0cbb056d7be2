import { Module } from '@nestjs/common';
import { LoopsModule } from '../../platform/loops/loops.module.js';
import { ApiKeys } from './api-keys.js';
import { KnownKeys } from './known-keys.js';

@Module({
  imports: [LoopsModule],
  providers: [KnownKeys, ApiKeys],
  exports: [ApiKeys],
})
export class KeysModule {}
