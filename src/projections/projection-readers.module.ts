import { Module } from '@nestjs/common';
import { CarriedHeightsReader } from './record/readers/carried-heights.reader.js';
import { ChangesReader } from './record/readers/changes.reader.js';
import { IncludedTimesReader } from './record/readers/included-times.reader.js';

const READERS = [CarriedHeightsReader, ChangesReader, IncludedTimesReader];

/** What answers from read models by the rules that make them. Needs a `ReadDatabase` that is provided globally. */
@Module({ providers: READERS, exports: READERS })
export class ProjectionReadersModule {}
