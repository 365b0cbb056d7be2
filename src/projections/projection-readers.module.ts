import { Module } from '@nestjs/common';
import { CarriedBlocksReader } from './record/readers/carried-blocks.reader.js';
import { ChangesReader } from './record/readers/changes.reader.js';

const READERS = [CarriedBlocksReader, ChangesReader];

/** Readers that answer from read models by the rules of their projections. Needs a globally provided `ReadDatabase`. */
@Module({ providers: READERS, exports: READERS })
export class ProjectionReadersModule {}
