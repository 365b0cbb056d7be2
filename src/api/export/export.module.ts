import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { ExportController } from './export.controller.js';
import { Exports } from './exports.js';

/** Serves the record as files. */
@Module({
  imports: [KeysModule, HttpModule],
  controllers: [ExportController],
  providers: [Exports],
})
export class ExportModule {}
