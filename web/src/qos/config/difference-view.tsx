import { Table } from '../../design/table.tsx';
import { compareTexts, type LabelDifference, type Part } from './config-difference.ts';
import './config.css';

/** Label by label: the query before and after, with the words that differ. */
export function DifferenceView({ differences }: { differences: readonly LabelDifference[] }) {
  return (
    <Table
      label="Differences"
      rows={differences}
      keyOf={({ label }) => label}
      columns={[
        { head: 'Label', isNarrow: true, cell: ({ label }) => <strong>{label}</strong> },
        { head: 'Query', cell: Lines },
      ]}
    />
  );
}

function Lines({ before, after }: LabelDifference) {
  const compared =
    before !== undefined && after !== undefined
      ? compareTexts(before, after)
      : { before: whole(before), after: whole(after) };
  return (
    <div className="difference">
      {before !== undefined && (
        <del className="difference-line">
          <span className="unseen">Before: </span>
          <Parts parts={compared.before} />
        </del>
      )}
      {after !== undefined && (
        <ins className="difference-line">
          <span className="unseen">After: </span>
          <Parts parts={compared.after} />
        </ins>
      )}
    </div>
  );
}

const whole = (text = ''): Part[] => [{ text, isDifferent: false }];

const Parts = ({ parts }: { parts: readonly Part[] }) => (
  <code>
    {parts.map(({ text, isDifferent }, index) => {
      const key = `${index} ${text}`;
      return isDifferent ? <mark key={key}>{text}</mark> : <span key={key}>{text}</span>;
    })}
  </code>
);
