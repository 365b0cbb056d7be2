// `node --import ./test/support/typescript.mjs file.ts` runs the sources without a build, for processes that tests start.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
