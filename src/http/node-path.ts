/**
 * A node's name is part of the path and may contain raw slashes, so the router cannot know where it ends. This makes one path segment of
 * it before routing; whatever else is encoded stays as it was, to be decoded once, by the router.
 *
 *   …/nodes/a/b/impacted/all?ts=1   →   …/nodes/a%2Fb/impacted/all?ts=1
 *   …/nodes//etc/hosts              →   …/nodes/%2Fetc%2Fhosts
 *   …/nodes/a%2Fcount               →   unchanged: the node that is really called "a/count"
 */
export function encodeNodePath(url: string): string {
  const match = nodeUrl.exec(url);
  if (!match) return url;
  const [, prefix, rest, query = ''] = match;
  const operation = operations.find((suffix) => rest.endsWith(suffix) && rest.length > suffix.length) ?? '';
  const name = rest.slice(0, rest.length - operation.length);
  return name.includes('/') ? `${prefix}${name.replaceAll('/', '%2F')}${operation}${query}` : url;
}

const nodeUrl = /^(\/v1\/teams\/[^/?]*\/labels\/[^/?]*\/nodes\/)([^?]+)(\?.*)?$/;
const operations = ['/impacted/all', '/impacted/count', '/impacted', '/count'];
