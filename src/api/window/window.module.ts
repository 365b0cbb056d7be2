import { Module } from '@nestjs/common';
import { NodesModule } from '../nodes/nodes.module.js';
import { WindowResolver } from './window.resolver.js';

/** The list that a node showed at a moment. */
@Module({
  imports: [NodesModule],
  providers: [WindowResolver],
})
export class WindowModule {}
