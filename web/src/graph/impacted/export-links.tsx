import { Icon } from '../../design/icon.tsx';
import { Popover } from '../../design/menu.tsx';
import { exportFormats, exportUrl, impactedAllUrl } from '../graph-api.ts';
import type { NodeRef } from '../node-key.ts';

const titles = {
  ndjson: 'NDJSON, can be posted back in',
  dot: 'Graphviz',
  mermaid: 'Mermaid',
  graphml: 'GraphML',
  cytoscape: 'Cytoscape',
} as const;

/** Everything that is listed as JSON, and the graph around it in other formats. */
export function ExportLinks({
  teamId,
  root,
  question,
}: {
  teamId: string;
  root: NodeRef;
  question: { ts: number | undefined; label: string | undefined; inactive: boolean };
}) {
  return (
    <Popover
      label="Export"
      trigger={
        <>
          <Icon name="download" /> Export
        </>
      }
    >
      {() => (
        <ul className="export-links">
          <li>
            <a href={impactedAllUrl(teamId, root, question)} download={`impacted-by-${fileName(root)}.json`}>
              This list, all of it, as JSON
            </a>
          </li>
          {exportFormats.map((format) => (
            <li key={format}>
              <a
                href={exportUrl(teamId, format, { node: root, direction: 'impacted', depth: 3 })}
                download={`${fileName(root)}.${format}`}
              >
                Three steps around it, {titles[format]}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}

const fileName = ({ label, name }: NodeRef): string => `${label}-${name}`.replace(/[^\w.-]+/g, '-').slice(0, 80);
