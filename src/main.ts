#!/usr/bin/env node
import 'reflect-metadata';
import { run } from './cli/program.js';

// Whoever reads our output may leave early (`| head`); that is no failure of ours.
process.stdout.on('error', () => undefined);
process.exit(await run(process.argv));
