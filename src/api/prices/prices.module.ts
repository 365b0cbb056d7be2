import { Module } from '@nestjs/common';
import { EventLogModule } from '../../event-log/event-log.module.js';
import { PriceResolver } from './price.resolver.js';
import { PricesService } from './prices.service.js';

@Module({
  imports: [EventLogModule],
  providers: [PriceResolver, PricesService],
  exports: [PricesService],
})
export class PricesModule {}
