import type { Facts } from './periods.ts';
import { periodsOf, relsOf } from './periods.ts';

export const exportFormats = ['ndjson', 'dot', 'mermaid', 'graphml', 'cytoscape'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export type ExportedNode = { id: number; label: string; name: string; from: number | null; to: number | null };
export type ExportedRelationship = { id: number; source: number; target: number; facts: Facts };

/** A format as text pieces: begin, all nodes, all relationships, end. `isFirst` is for those with separators. */
export type Exporter = {
  contentType: string;
  begin: string;
  node(node: ExportedNode, isFirst: boolean): string;
  /** Between the nodes and the relationships. */
  middle: string;
  /** `nodes` has those of a neighbourhood. */
  relationship(relationship: ExportedRelationship, isFirst: boolean, nodes: ReadonlyMap<number, ExportedNode>): string;
  end: string;
};

export const exporters: Record<ExportFormat, Exporter> = {
  /** Messages as `POST …/graph` takes them: posting an export into an empty team makes the same graph. */
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    begin: '',
    node: ({ label, name, from, to }) => {
      const props = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
      return line({ source: { label, name, ...(from === null && to === null ? {} : { props }) } });
    },
    middle: '',
    relationship: ({ source, target, facts }, _isFirst, nodes) => {
      const ends = { source: endOf(nodes.get(source)), target: endOf(nodes.get(target)) };
      return relsOf(facts)
        .map((rel) => line({ ...ends, ...(rel ? { rel } : {}) }))
        .join('');
    },
    end: '',
  },
  dot: {
    contentType: 'text/vnd.graphviz; charset=utf-8',
    begin: 'digraph faultline {\n  node [shape=box];\n',
    node: (node) => `  n${node.id} [label=${dotText(`${node.label}\n${node.name}`)}];\n`,
    middle: '',
    relationship: ({ source, target, facts }) => `  n${source} -> n${target}${dotPeriods(facts)};\n`,
    end: '}\n',
  },
  mermaid: {
    contentType: 'text/vnd.mermaid; charset=utf-8',
    begin: 'flowchart LR\n',
    node: (node) => `  n${node.id}["${mermaidText(`${node.label}: ${node.name}`)}"]\n`,
    middle: '',
    relationship: ({ source, target }) => `  n${source} --> n${target}\n`,
    end: '',
  },
  graphml: {
    contentType: 'application/graphml+xml; charset=utf-8',
    begin:
      '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n' +
      ['label', 'name', 'from', 'to']
        .map(
          (key) =>
            `  <key id="${key}" for="node" attr.name="${key}" attr.type="${key === 'label' || key === 'name' ? 'string' : 'long'}"/>\n`,
        )
        .join('') +
      '  <key id="periods" for="edge" attr.name="periods" attr.type="string"/>\n  <graph id="faultline" edgedefault="directed">\n',
    node: ({ id, label, name, from, to }) => {
      const data = { label, name, ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
      const fields = Object.entries(data).map(([key, value]) => `<data key="${key}">${xmlText(String(value))}</data>`);
      return `    <node id="n${id}">${fields.join('')}</node>\n`;
    },
    middle: '',
    relationship: ({ id, source, target, facts }) =>
      `    <edge id="r${id}" source="n${source}" target="n${target}"><data key="periods">${periodsOf(facts).join(' ')}</data></edge>\n`,
    end: '  </graph>\n</graphml>\n',
  },
  cytoscape: {
    contentType: 'application/json; charset=utf-8',
    begin: '{"elements":{"nodes":[',
    node: ({ id, label, name, from, to }, isFirst) =>
      `${isFirst ? '' : ','}\n${JSON.stringify({ data: { id: `n${id}`, label, name, from, to } })}`,
    middle: '],"edges":[',
    relationship: ({ id, source, target, facts }, isFirst) =>
      `${isFirst ? '' : ','}\n${JSON.stringify({ data: { id: `r${id}`, source: `n${source}`, target: `n${target}`, periods: periodsOf(facts) } })}`,
    end: ']}}\n',
  },
};

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

const endOf = (node: ExportedNode | undefined) => ({ label: node?.label, name: node?.name });

/** Graphviz reads entities in a label as HTML does. */
const dotText = (text: string): string =>
  `"${text.replaceAll('&', '&amp;').replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

function dotPeriods(facts: Facts): string {
  const periods = periodsOf(facts);
  return periods.length === 0 ? '' : ` [tooltip="${periods.join(' ')}"]`;
}

/** Mermaid takes entities by number inside quotes, and has no other way to write what it treats as syntax. */
const mermaidText = (text: string): string =>
  text.replace(/[^\p{L}\p{N} ._:/@-]/gu, (character) => `#${character.codePointAt(0)};`);

/** The last two characters of the plane have no place in XML, not even as entities. */
const xmlText = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`).replace(/[\ufffe\uffff]/g, '\ufffd');
