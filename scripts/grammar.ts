import { readFileSync, writeFileSync } from 'node:fs';
import peggy from 'peggy';

const root = new URL('../', import.meta.url);

/** The parser that `src/qos/query.peggy` describes, as the text of a module. */
export function generateParser(): string {
  const grammar = readFileSync(new URL('src/qos/query.peggy', root), 'utf8');
  const code = peggy.generate(grammar, { output: 'source', format: 'es' });
  return `// Made by \`npm run grammar\` from query.peggy. Do not edit.\n${code}`;
}

if (import.meta.main) writeFileSync(new URL('src/qos/query-parser.js', root), generateParser());
