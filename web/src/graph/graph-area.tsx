import { useLocation } from 'wouter';
import { decodePart } from '../routing/paths.ts';
import { Explorer } from './explorer.tsx';
import { NodePage } from './node/node-page.tsx';

export default function GraphArea({ teamId }: { teamId: string }) {
  // Only to be told: the router decodes the address once too often for names with a percent sign.
  useLocation();
  const [, label, name] = /^\/app\/teams\/[^/]+\/nodes\/([^/]+)\/(.+)$/.exec(location.pathname) ?? [];
  if (label === undefined || name === undefined) return <Explorer teamId={teamId} />;
  const node = { label, name: decodePart(name) };
  return <NodePage key={`${node.label}:${node.name}`} teamId={teamId} node={node} />;
}
