import { useState } from 'react';
import { Button } from '../design/button.tsx';

const shownCharacters = 20_000;

/** A value as people read JSON. A long one is opened on request: nobody waits for what they did not ask for. */
export function JsonView({ label, value }: { label: string; value: unknown }) {
  const [isWhole, setIsWhole] = useState(false);
  const text = JSON.stringify(value, null, 2) ?? 'null';
  const isCut = text.length > shownCharacters && !isWhole;
  return (
    <div className="stack json-view">
      {/* A region that scrolls must be reachable without a pointer. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre aria-label={label} tabIndex={0} role="region">
        {isCut ? text.slice(0, shownCharacters) : text}
      </pre>
      {isCut && (
        <Button isSmall onClick={() => setIsWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </Button>
      )}
    </div>
  );
}
