#!/usr/bin/env node
// Nothing is imported before this check: an older Node would stumble over the first modern line, with a message nobody understands.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`Faultline needs Node 24 or newer; this is ${process.version}.\n`);
  process.exit(2);
} else {
  void import('./cli/program.ts').then(({ run }) => run());
}
