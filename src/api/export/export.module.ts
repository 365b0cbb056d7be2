import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { ReplicaModule } from '../replica/replica.module.js';
import { ExportController } from './export.controller.js';
import { ExportsModule } from './exports.module.js';

@Module({
  imports: [KeysModule, HttpModule, ReplicaModule, ExportsModule],
  controllers: [ExportController],
})
export class ExportModule {}
