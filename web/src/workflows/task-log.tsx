import { Fragment, useEffect, useRef, useState } from 'react';
import { Button } from '../design/button.tsx';
import { type LogLine, useTaskLog } from './use-task-log.ts';

const shownLines = 2000;
const nearEndPx = 40;
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** The log of a task. Whoever reads at its end stays at its end while lines come. */
export function TaskLog({ instanceId, taskId }: { instanceId: string; taskId: string }) {
  const { lines, state } = useTaskLog(instanceId, taskId);
  const [isWhole, setIsWhole] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const count = lines.length;
  useEffect(() => {
    const { current } = box;
    if (count > 0 && current && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [count]);
  const hidden = isWhole ? 0 : Math.max(0, lines.length - shownLines);
  if (lines.length === 0) return <p className="muted small">{emptyWords[state]}</p>;
  return (
    <div className="stack">
      {hidden > 0 && (
        <Button isSmall onClick={() => setIsWhole(true)}>
          Show {hidden.toLocaleString()} earlier lines
        </Button>
      )}
      <div
        className="log"
        ref={box}
        role="log"
        aria-label="Log"
        // A region that scrolls must be reachable without a pointer.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight > scrollHeight - nearEndPx;
        }}
      >
        <Lines lines={hidden > 0 ? lines.slice(hidden) : lines} />
      </div>
      <p className="muted small">
        {lines.length.toLocaleString()} {lines.length === 1 ? 'line' : 'lines'}
        {state === 'following' && ', more as they are written'}
        {state === 'lost' && ', the connection was lost'}
      </p>
    </div>
  );
}

const emptyWords = {
  reading: 'Reading…',
  following: 'It has written nothing yet.',
  ended: 'It wrote nothing.',
  lost: 'The connection was lost; open the task again to go on.',
};

function Lines({ lines }: { lines: LogLine[] }) {
  return (
    <ol>
      {lines.map(({ id, attempt, at, line }, place) => (
        <Fragment key={id}>
          {attempt > 1 && attempt !== lines[place - 1]?.attempt && <li className="log-attempt">Attempt {attempt}</li>}
          <li>
            <time dateTime={at} title={at}>
              {clock.format(new Date(at))}
            </time>
            <span>{line}</span>
          </li>
        </Fragment>
      ))}
    </ol>
  );
}
