import { Module } from '@nestjs/common';
import { ReplicaWatch } from './replica-watch.js';
import { UnreadWatch } from './unread-watch.js';

@Module({
  providers: [ReplicaWatch, UnreadWatch],
  exports: [ReplicaWatch, UnreadWatch],
})
export class ReplicaModule {}
