#!/usr/bin/env node
import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { openOutputs } from './cli/outputs.js';
import { run } from './cli/program.js';

// The heap grows to twice what was in use before it is collected, not to four times: what answers leave behind is large.
// An engine that does not know the flag leaves it at that.
setFlagsFromString('--heap-growing-percent=100');

openOutputs();
// Not awaited here: parts of the program that are loaded later wait until this file has run.
void run(process.argv).then((code) => process.exit(code));
