/** Every address of the page is made here, so that a link cannot miss. */

export const teamPath = (teamId: string): string => `/app/teams/${teamId}`;
export const explorerPath = (teamId: string): string => `${teamPath(teamId)}/explorer`;
export const qosPath = (teamId: string, rest = ''): string => `${teamPath(teamId)}/qos${rest}`;
/** A name may hold slashes and anything else; it is one escaped part here, but raw slashes are understood too. */
export const nodePath = (teamId: string, label: string, name: string): string =>
  `${teamPath(teamId)}/nodes/${label}/${encodeURIComponent(name)}`;
export const workflowsPath = (rest = ''): string => `/app/workflows${rest}`;
export const instancePath = (id: string): string => `/app/workflows/instances/${id}`;
export const platformPath = (part: 'services' | 'integrations' | 'channels' | 'deliveries'): string =>
  `/app/platform/${part}`;
export const adminPath = (part: 'users' | 'teams' | 'tokens' | 'audit' | 'news'): string => `/app/admin/${part}`;

/** A part of the address as it was before it was escaped; a broken escape is taken as it stands. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
