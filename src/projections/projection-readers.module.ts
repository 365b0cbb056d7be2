import { Module } from '@nestjs/common';
import { CarriedHeightsReader } from './record/carried-heights.reader.js';

/** What answers from read models by the rules that make them. Needs a `ReadDatabase` that is provided globally. */
@Module({ providers: [CarriedHeightsReader], exports: [CarriedHeightsReader] })
export class ProjectionReadersModule {}
