import type { DefinitionFault } from '../../../src/workflows/workflows.schemas.ts';
import { useApi } from '../api/hooks.ts';
import { Icon } from '../design/icon.tsx';

const shownFaults = 20;

/** What is wrong in the files; nothing when nothing is. */
export function DefinitionFaults({ file }: { file?: string }) {
  const { data = [] } = useApi<DefinitionFault[]>('/api/definitions/faults', { refreshMs: 5000 });
  const faults = file === undefined ? data : data.filter((fault) => fault.file === file);
  if (faults.length === 0) return null;
  const title =
    faults.length === 1 ? 'There is a fault in the files' : `There are ${faults.length} faults in the files`;
  return (
    <div className="problem" role="alert">
      <h3>
        <Icon name="warning" />
        {title}
      </h3>
      <p>Definitions that were good before stay in use as they were, until this is mended.</p>
      <ul className="small">
        {faults.slice(0, shownFaults).map(({ file, line, column, message }) => (
          <li key={`${file}:${line}:${column} ${message}`} className="wrap-anywhere">
            <code>
              {file}:{line}:{column}
            </code>{' '}
            {message}
          </li>
        ))}
      </ul>
      {faults.length > shownFaults && <p className="small">and {faults.length - shownFaults} more.</p>}
    </div>
  );
}
