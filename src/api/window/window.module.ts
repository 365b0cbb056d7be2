import { Module } from '@nestjs/common';
import { NodesModule } from '../nodes/nodes.module.js';
import { WindowResolver } from './window.resolver.js';

@Module({
  imports: [NodesModule],
  providers: [WindowResolver],
})
export class WindowModule {}
