#!/usr/bin/env node
import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { openOutputs } from './cli/outputs.js';
import { run } from './cli/program.js';
import { nameSourcesInStacks } from './platform/source-stacks.js';

// Collects the heap when it has grown to twice what was in use, not to four times: answers leave a lot of garbage behind. An
// engine that does not know the flag keeps its default.
setFlagsFromString('--heap-growing-percent=100');

nameSourcesInStacks();
openOutputs();
// Not awaited here: parts of the program that are loaded later wait until this file has run.
void run(process.argv).then((code) => process.exit(code));
