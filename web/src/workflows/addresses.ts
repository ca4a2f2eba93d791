import { withQuery } from '../api/client.ts';
import { workflowsPath } from '../routing/paths.ts';

export const definitionsPath = workflowsPath('/definitions');
export const instancesPath = workflowsPath('/instances');

export const definitionPath = (fullname: string): string => `${definitionsPath}/${encodeURIComponent(fullname)}`;

/** The list of instances, already filtered. */
export const instancesOf = (filter: { project?: string; name?: string; status?: string }): string =>
  withQuery(instancesPath, filter);
