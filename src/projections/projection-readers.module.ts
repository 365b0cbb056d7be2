import { Module } from '@nestjs/common';
import { CarriedBlocksReader } from './record/readers/carried-blocks.reader.js';
import { ChangesReader } from './record/readers/changes.reader.js';

const READERS = [CarriedBlocksReader, ChangesReader];

/** What answers from read models by the rules that make them. Needs a `ReadDatabase` that is provided globally. */
@Module({ providers: READERS, exports: READERS })
export class ProjectionReadersModule {}
