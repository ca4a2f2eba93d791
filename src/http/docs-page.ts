/** The interface as one page without scripts: groups, operations, parameters, bodies and answers. */

export type OpenApiDocument = {
  info: { title: string; version: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
};
type Operation = {
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: { content: Content };
  responses?: Record<string, { description?: string; content?: Content }>;
};
type Content = Record<string, { schema?: Schema }>;
type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
};

export function renderDocsPage(document: OpenApiDocument): string {
  const groups = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (method === 'head') continue;
      const tag = operation.tags?.[0] ?? 'Other';
      groups.set(tag, [...(groups.get(tag) ?? []), renderOperation(method, path, operation)]);
    }
  }
  const contents = [...groups.keys()].map((tag) => `<a href="#${slug(tag)}">${escape(tag)}</a>`).join(' · ');
  const sections = [...groups]
    .map(([tag, items]) => `<section id="${slug(tag)}"><h2>${escape(tag)}</h2>${items.join('')}</section>`)
    .join('');
  const schemas = Object.entries(document.components?.schemas ?? {})
    .map(
      ([name, schema]) =>
        `<section id="schema-${slug(name)}"><h3>${escape(name)}</h3><pre>${renderSchema(schema)}</pre></section>`,
    )
    .join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(document.info.title)} ${escape(document.info.version)}: the interface</title><style>${style}</style></head><body><main>
<h1>${escape(document.info.title)} <small>${escape(document.info.version)}</small></h1><p>${escape(document.info.description ?? '')}</p>
<p>For programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p><nav aria-label="Groups">${contents} · <a href="#schemas">Schemas</a></nav>
${sections}<h2 id="schemas">Schemas</h2>${schemas}</main></body></html>`;
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const parameters = (operation.parameters ?? [])
    .map(
      (p) =>
        `<tr><td><code>${escape(p.name)}</code></td><td>${escape(p.in)}${p.required ? ', required' : ''}</td><td>${renderSchema(p.schema ?? {})}</td><td>${prose(p.description ?? p.schema?.description ?? '')}</td></tr>`,
    )
    .join('');
  const body = renderContent('Request body', operation.requestBody?.content);
  const answers = Object.entries(operation.responses ?? {})
    .filter(([status]) => status !== 'default')
    .map(([status, answer]) => renderContent(`${status} ${answer.description ?? ''}`, answer.content ?? {}))
    .join('');
  return `<details id="${slug(`${method} ${path}`)}"><summary><span class="method ${method}">${method.toUpperCase()}</span> <code>${escape(path)}</code> <span class="summary">${escape(operation.summary ?? '')}</span></summary>
<p>${escape(operation.description ?? '')}</p>${parameters ? `<table><thead><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${parameters}</tbody></table>` : ''}
${body}${answers}</details>`;
}

function renderContent(title: string, content: Content | undefined): string {
  if (!content) return '';
  const entries = Object.entries(content);
  if (entries.length === 0) return `<h4>${escape(title)}</h4>`;
  return entries
    .map(
      ([type, { schema }]) =>
        `<h4>${escape(title)} <span class="type">${escape(type)}</span></h4><pre>${schema ? renderSchema(schema) : ''}</pre>`,
    )
    .join('');
}

/** A schema as people write one down: `{ name: string, scopes: ("Read" | "Write")[] }`. */
function renderSchema(schema: Schema, indent = ''): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `<a href="#schema-${slug(name)}">${escape(name)}</a>`;
  }
  if (schema.enum) return schema.enum.map((value) => escape(JSON.stringify(value))).join(' | ');
  if (schema.const !== undefined) return escape(JSON.stringify(schema.const));
  if (schema.anyOf) return schema.anyOf.map((one) => renderSchema(one, indent)).join(' | ');
  if (schema.items) {
    const item = renderSchema(schema.items, indent);
    return schema.items.enum || schema.items.anyOf ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties && Object.keys(schema.properties).length > 0) {
    const inner = `${indent}  `;
    const rows = Object.entries(schema.properties).map(([name, property]) => {
      const optional = schema.required?.includes(name) ? '' : '?';
      const note = property.description ? ` <i>${prose(property.description)}</i>` : '';
      return `${inner}${escape(name)}${optional}: ${renderSchema(property, inner)}${note}`;
    });
    return `{\n${rows.join('\n')}\n${indent}}`;
  }
  if (typeof schema.additionalProperties === 'object')
    return `{ [key]: ${renderSchema(schema.additionalProperties, indent)} }`;
  if (schema.type === 'object' && schema.properties) return '{}';
  const type = [schema.type ?? 'any'].flat().join(' | ');
  return escape(schema.format ? `${type} (${schema.format})` : type);
}

const slug = (text: string): string => text.toLowerCase().replace(/\W+/g, '-').replace(/-$/, '');

/** Words in backticks are code. */
const prose = (text: string): string => escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

const style = `:root{color-scheme:light dark;--line:#8884;--soft:#8881}body{font:16px/1.5 system-ui,sans-serif;margin:0}main{max-width:60rem;margin:auto;padding:1rem}
h1 small{font-weight:400;opacity:.6}h2{margin:2rem 0 .6rem}h4{margin:.9rem 0 .3rem}nav{position:sticky;top:0;background:Canvas;padding:.6rem 0;border-bottom:1px solid var(--line)}
details{border:1px solid var(--line);border-radius:.4rem;margin:.4rem 0;padding:0 .8rem;scroll-margin-top:3.5rem}details[open]{padding-bottom:.8rem}details:target{border-color:#0a6ebd}
summary{cursor:pointer;overflow-wrap:anywhere;padding:.4rem 0}summary code{font-weight:600;margin-right:.6rem}.summary{opacity:.75}
.method{display:inline-block;min-width:4.6rem;font-weight:700}.get{color:#0a6ebd}.post{color:#1a7f37}.put,.patch{color:#9a6700}.delete{color:#cf222e}
@media(prefers-color-scheme:dark){.get{color:#6cb6ff}.post{color:#57ab5a}.put,.patch{color:#e0b040}.delete{color:#ff7b72}}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .8rem .25rem 0;vertical-align:top;border-bottom:1px solid var(--line)}th{font-size:.85em;opacity:.7}
pre{overflow-x:auto;background:var(--soft);padding:.6rem .8rem;border-radius:.4rem;margin:.3rem 0}pre i{opacity:.65}.type{font-weight:400;opacity:.6;font-size:.85em;margin-left:.4rem}section{scroll-margin-top:3.5rem}`;
