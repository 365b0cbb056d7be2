import { Module } from '@nestjs/common';
import { ReplicaWatch } from './replica-watch.js';

/** How far the server behind which is read lags. */
@Module({
  providers: [ReplicaWatch],
  exports: [ReplicaWatch],
})
export class ReplicaModule {}
