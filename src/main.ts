#!/usr/bin/env node
// Nothing else is imported before this check: an older Node would stumble over the first modern line, with a message nobody understands.
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`Faultline needs Node 24 or newer; this is ${process.version}.\n`);
  process.exit(2);
} else {
  // Half of the time of a short command was compiling. Beside the program, not in the shared temporary directory: others could write there.
  // Where it cannot be written, everything works as without it.
  nodeModule.enableCompileCache(fileURLToPath(new URL('../.cache/compiled', import.meta.url)));
  void import('./cli/program.ts').then(({ run }) => run());
}
