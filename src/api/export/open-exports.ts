import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Clock } from '../../platform/clock.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { API_OPTIONS } from '../api-options.js';
import { Exports } from './exports.js';
import { ExportsModule } from './exports.module.js';

@Global()
@Module({})
class PortModule {}

/** Opens exports without a server, for a command. Only the database must be closed afterwards. */
export async function openExports(reads: ReadDatabase, clock: Clock): Promise<Exports> {
  const providers = [
    { provide: ReadDatabase, useValue: reads },
    { provide: API_OPTIONS, useValue: { clock } },
  ];
  const port = { module: PortModule, providers, exports: providers.map(({ provide }) => provide) };
  const context = await NestFactory.createApplicationContext(
    { module: class {}, imports: [port, ExportsModule] },
    { logger: false, abortOnError: false },
  );
  return context.get(Exports, { strict: false });
}
