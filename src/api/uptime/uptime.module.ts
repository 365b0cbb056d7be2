import { Module } from '@nestjs/common';
import { HealthModule } from '../health/health.module.js';
import { NodesModule } from '../nodes/nodes.module.js';
import { UptimeQuery } from './uptime.query.js';
import { UptimeResolver } from './uptime.resolver.js';

@Module({
  imports: [NodesModule, HealthModule],
  providers: [UptimeResolver, UptimeQuery],
  exports: [UptimeResolver, UptimeQuery],
})
export class UptimeModule {}
