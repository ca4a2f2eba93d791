import type { JsonSchema } from '../design/json-schema.ts';
import { useApi } from './hooks.ts';

type OpenApi = {
  paths: Record<
    string,
    | Record<string, { requestBody?: { content?: { 'application/json'?: { schema?: JsonSchema } } } } | undefined>
    | undefined
  >;
};

/**
 * The JSON Schema of what a request takes, from the service's own description of itself; undefined until that is there. Forms made from
 * it ask for exactly what the service takes.
 *
 *     const schema = useBodySchema('post', '/v1/teams/{team_id}/rules');
 */
export function useBodySchema(method: 'post' | 'put', path: string): JsonSchema | undefined {
  const { data } = useApi<OpenApi>('/openapi.json', { staleMs: Number.POSITIVE_INFINITY });
  return data?.paths[path]?.[method]?.requestBody?.content?.['application/json']?.schema;
}
