import type { DefinitionDetail } from '../../../src/workflows/workflows.schemas.ts';
import { Card } from '../design/card.tsx';
import { JsonView } from './json-view.tsx';

/** The definition's own keys, and the schema of its payload. */
export function AsWritten({ definition }: { definition: DefinitionDetail }) {
  const { name: _, project: _project, fullname, file, plan: _plan, payload_schema: schema, ...rest } = definition;
  const { next_run: _next, paused: _paused, ...written } = rest;
  return (
    <Card title="As written">
      <div className="stack">
        <details>
          <summary>The definition in {file}</summary>
          <JsonView label="Definition" value={{ [fullname]: written }} />
        </details>
        {schema !== undefined && (
          <details>
            <summary>The schema of its payload</summary>
            <JsonView label="Schema of the payload" value={schema} />
          </details>
        )}
      </div>
    </Card>
  );
}
