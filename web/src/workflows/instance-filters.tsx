import { useId } from 'react';
import type { WorkflowDefinition } from '../../../src/workflows/workflows.schemas.ts';
import { useApi } from '../api/hooks.ts';
import { Select, TextField } from '../design/field.tsx';
import { fromLocalInput, toLocalInput } from './local-time.ts';
import { labelOf } from './status.ts';

export const noFilter = { project: '', name: '', status: '', periodic: '', since: '', until: '' };
export type InstanceFilter = typeof noFilter;

const statuses = ['pending', 'progress', 'success', 'error', 'canceled'] as const;

/** Names are suggested but may be any: instances outlive their definitions. */
export function InstanceFilters({
  filter,
  onChange,
}: {
  filter: InstanceFilter;
  onChange: (changes: Partial<InstanceFilter>) => void;
}) {
  const { data: definitions = [] } = useApi<WorkflowDefinition[]>('/api/definitions');
  const id = useId();
  const projects = [...new Set(definitions.map(({ project }) => project))];
  const names = definitions.filter(({ project }) => filter.project === '' || project === filter.project);
  return (
    <search className="instance-filters" aria-label="Filter">
      <TextField
        label="Project"
        type="search"
        list={`${id}-projects`}
        placeholder="Any"
        value={filter.project}
        onValue={(project) => onChange({ project })}
      />
      <TextField
        label="Name"
        type="search"
        list={`${id}-names`}
        placeholder="Any"
        value={filter.name}
        onValue={(name) => onChange({ name })}
      />
      <Select
        label="Status"
        value={filter.status}
        onValue={(status) => onChange({ status })}
        options={[['', 'Any'], ...statuses.map((status) => [status, labelOf(status)] as const)]}
      />
      <Select
        label="Started by"
        value={filter.periodic}
        onValue={(periodic) => onChange({ periodic })}
        options={[
          ['', 'Anything'],
          ['true', 'Its schedule'],
          ['false', 'A request'],
        ]}
      />
      <TextField
        label="Created from"
        type="datetime-local"
        value={toLocalInput(filter.since)}
        onValue={(text) => onChange({ since: fromLocalInput(text) })}
      />
      <TextField
        label="Created until"
        type="datetime-local"
        value={toLocalInput(filter.until)}
        onValue={(text) => onChange({ until: fromLocalInput(text) })}
      />
      <datalist id={`${id}-projects`}>
        {projects.map((project) => (
          <option key={project}>{project}</option>
        ))}
      </datalist>
      <datalist id={`${id}-names`}>
        {[...new Set(names.map(({ name }) => name))].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
    </search>
  );
}
