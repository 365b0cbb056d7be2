#!/usr/bin/env node
import 'reflect-metadata';
import { run } from './cli/program.js';

// Whoever reads our output may leave early (`| head`), or its disk be full; that is no failure of ours.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
process.exit(await run(process.argv));
