import { z } from 'zod';
import { definitionBody, fullnamePattern, itemBodies, taskName } from './format.schemas.ts';

/** The JSON Schema of definition files for editors, from the very schemas that the compiler checks with. */
export function makeEditorSchema(): unknown {
  const item: z.ZodType = z
    .lazy(() => {
      const bodies = itemBodies(item);
      const typed = z.union([
        bodies.task,
        bodies.group,
        bodies.chain,
        bodies.foreach,
        bodies.approval,
        bodies.workflow,
      ]);
      // One key each; zod has no word for the number of keys.
      return z.union([taskName, z.record(taskName, typed).meta({ minProperties: 1, maxProperties: 1 })]);
    })
    .meta({ id: 'Item', description: 'The name of a task, or one key with a mapping that says more' });
  const file = z.record(z.string().regex(fullnamePattern), definitionBody(item).meta({ id: 'Definition' })).meta({
    title: 'Faultline workflow definitions',
    description: 'workflows.yml and workflows/**/*.yml: project.NAME and its definition',
  });
  const schema = z.toJSONSchema(file, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' });
  return { ...schema, $id: 'faultline/workflows.schema.json' };
}
