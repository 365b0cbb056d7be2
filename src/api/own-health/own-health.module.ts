import { Module } from '@nestjs/common';
import { LoopsModule } from '../../platform/loops/loops.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { ReplicaModule } from '../replica/replica.module.js';
import { DiskWatch } from './disk-watch.js';
import { OwnHealthController } from './own-health.controller.js';
import { ReadinessQuery } from './readiness.query.js';
import { ServiceResolver } from './service.resolver.js';
import { RunningQuery } from './running.query.js';

@Module({
  imports: [LoopsModule, KeysModule, ReplicaModule],
  controllers: [OwnHealthController],
  providers: [ReadinessQuery, RunningQuery, DiskWatch, ServiceResolver],
  exports: [DiskWatch],
})
export class OwnHealthModule {}
