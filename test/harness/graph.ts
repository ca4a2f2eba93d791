import { expect } from 'vitest';
import type { z } from 'zod';
import { foundNodes, graphOverview, impactTotals, neighbourPage } from '../../src/graph/explore.schemas.ts';
import {
  count,
  impactedList,
  ingestResult,
  labelList,
  nodeNames,
  nodeWithDependencies,
} from '../../src/graph/graph.schemas.ts';
import { emptyObject } from '../../src/http/schemas.ts';
import { type Answer, adminToken, type RequestOptions, type TestApp } from './app.ts';

export type GraphClient = ReturnType<typeof createGraphClient>;
export type IngestResult = z.infer<typeof ingestResult>;
type Options = RequestOptions & { query?: string };

/** `Label:name` or `Label:name` with `props`; short, because tests write many. */
export const at = (text: string, props?: { from?: number | null; to?: number | null }) => {
  const colon = text.indexOf(':');
  return { label: text.slice(0, colon), name: text.slice(colon + 1), ...(props ? { props } : {}) };
};
export const depends = (source: string, target: string, rel?: { from?: number; to?: number }) => ({
  source: at(source),
  target: at(target),
  ...(rel ? { rel } : {}),
});

/**
 * One team's graph as a client sees it. Answers of the graph are written as bytes, past the check that other routes have; here each is
 * parsed, and refused when it has a field too many or too few.
 */
export function createGraphClient(app: Pick<TestApp, 'request'>, teamId: string, token = adminToken) {
  const base = `/v1/teams/${teamId}`;

  async function ask(method: string, path: string, { query = '', ...options }: Options = {}): Promise<Answer> {
    return app.request(method, `${base}${path}${query === '' ? '' : `?${query}`}`, { token, ...options });
  }

  async function read<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    options?: Options,
  ): Promise<z.infer<Schema>> {
    const answer = await ask('GET', path, options);
    expect(answer.status, `GET ${path}: ${answer.text}`).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    return strictly(schema, answer.body);
  }

  const nodePath = (label: string, name: string): string => `/labels/${label}/nodes/${encodeURIComponent(name)}`;
  const pathOf = (node: string): string => {
    const { label, name } = at(node);
    return nodePath(label, name);
  };

  const paramsOf = (node: string): string => {
    const { label, name } = at(node);
    return new URLSearchParams({ label, name }).toString();
  };

  async function send(method: 'POST' | 'DELETE', text: string, type: string): Promise<IngestResult> {
    const answer = await ask(method, '/graph', { text, headers: { 'content-type': type } });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['x-graph-version']).toBe(String(answer.body.version));
    return strictly(ingestResult, answer.body);
  }

  return {
    teamId,
    ask,
    pathOf,
    add: (...messages: unknown[]) => send('POST', JSON.stringify(messages), 'application/json'),
    takeBack: (...messages: unknown[]) => send('DELETE', JSON.stringify(messages), 'application/json'),
    addLines: (text: string) => send('POST', text, 'application/x-ndjson'),
    takeBackLines: (text: string) => send('DELETE', text, 'application/x-ndjson'),
    /** Rules by these names, without checks, for configurations. */
    async addRules(...names: string[]): Promise<void> {
      for (const name of names) expect((await ask('POST', '/rules', { body: { name } })).status).toBe(201);
    },
    labels: () => read(labelList, '/labels'),
    names: (label: string, query = '') => read(nodeNames, `/labels/${label}/nodes`, { query }),
    node: (node: string, query = '', options: Options = {}) =>
      read(nodeWithDependencies, pathOf(node), { query, ...options }),
    count: async (node: string) => (await read(count, `${pathOf(node)}/count`)).count,
    impacted: (node: string, query = '') => read(impactedList, `${pathOf(node)}/impacted`, { query }),
    impactedAll: (node: string, query = '') => read(impactedList, `${pathOf(node)}/impacted/all`, { query }),
    impactedCount: async (node: string, query = '') =>
      (await read(count, `${pathOf(node)}/impacted/count`, { query })).count,
    search: (query: string) => read(foundNodes, '/graph/search', { query }),
    overview: (query = '') => read(graphOverview, '/graph/overview', { query }),
    neighbours: (node: string, query = '') =>
      read(neighbourPage, '/graph/neighbours', { query: `${paramsOf(node)}&${query}` }),
    impactTotals: (node: string, query = '') =>
      read(impactTotals, '/graph/impact', { query: `${paramsOf(node)}&${query}` }),
    async remove(node: string, query = ''): Promise<number> {
      const answer = await ask('DELETE', pathOf(node), { query });
      if (answer.status === 200) strictly(emptyObject, answer.body);
      return answer.status;
    },
    /** The periods of one relationship, whatever the day. */
    async periods(source: string, target: string): Promise<number[] | undefined> {
      const { dependencies } = await read(nodeWithDependencies, pathOf(source), { query: 'inactive' });
      const { label, name } = at(target);
      return dependencies?.[label]?.find((entry) => entry.name === name && entry.periods !== undefined)?.periods;
    },
    async export(query = ''): Promise<string> {
      const answer = await ask('GET', '/graph/export', { query });
      expect(answer.status, answer.text).toBe(200);
      return answer.text;
    },
  };
}

/** A fresh team with its graph. */
export async function newGraph(app: TestApp): Promise<GraphClient> {
  return createGraphClient(app, (await app.createTeam()).id);
}

function strictly<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.parse(body);
  // Objects drop what they do not know while parsing, so a difference is an undocumented field.
  expect(body).toStrictEqual(parsed);
  return parsed;
}
