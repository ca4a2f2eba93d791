import { type ReactNode, useId, useRef, useState } from 'react';
import type { Fault } from './config-faults.ts';
import './query-field.css';
import { describeQuery, suggest, take } from './query-words.ts';

/** The query of one label: what is wrong is underlined where it stands, and what may come next is offered. */
export function QueryField({
  label,
  value,
  onValue,
  faults,
  known,
  isReadOnly,
}: {
  label: string;
  value: string;
  onValue: (value: string) => void;
  faults: readonly Fault[];
  known: { labels: string[]; rules: string[] };
  isReadOnly: boolean;
}) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [cursor, setCursor] = useState(0);
  const [isFocused, setIsFocused] = useState(false);
  const suggestion = suggest(value, Math.min(cursor, value.length), known);
  const select = (from: number, to: number): void => {
    field.current?.focus();
    field.current?.setSelectionRange(from, to);
  };
  const insert = (option: string): void => {
    const taken = take(value, suggestion, option);
    onValue(taken.text);
    setCursor(taken.cursor);
    // The text is in the field only after this drawing.
    requestAnimationFrame(() => select(taken.cursor, taken.cursor));
  };
  const meaning = faults.length === 0 ? describeQuery(value) : undefined;
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- it only notices whether the focus is inside
    <div
      className="query-field"
      onFocus={() => setIsFocused(true)}
      onBlur={(event) => setIsFocused(event.currentTarget.contains(event.relatedTarget))}
    >
      <div className="query-text input" data-invalid={faults.length > 0 || undefined}>
        <pre aria-hidden="true">{marked(value, faults)} </pre>
        <textarea
          ref={field}
          rows={1}
          aria-label={`Query of ${label}`}
          aria-invalid={faults.length > 0 || undefined}
          aria-describedby={`${id}-words`}
          placeholder="no quality"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          readOnly={isReadOnly}
          value={value}
          onChange={(event) => {
            onValue(event.target.value);
            setCursor(event.target.selectionStart);
          }}
          onSelect={(event) => setCursor(event.currentTarget.selectionStart)}
        />
      </div>
      <div id={`${id}-words`}>
        {faults.map((fault) => (
          <p key={fault.message} className="field-error">
            <button type="button" className="link-plain" onClick={() => select(fault.from, fault.to)}>
              {fault.message}
            </button>
          </p>
        ))}
        {meaning && <p className="field-hint">{meaning}</p>}
      </div>
      {isFocused && !isReadOnly && suggestion.options.length > 0 && (
        <ul className="query-options" aria-label="What may stand here">
          {suggestion.options.map((option) => (
            <li key={option}>
              <button type="button" onMouseDown={(event) => event.preventDefault()} onClick={() => insert(option)}>
                {option}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The text again, unseen, so that what is wrong can be underlined below the field's own. */
function marked(text: string, faults: readonly Fault[]): ReactNode {
  const [first] = faults.toSorted((a, b) => a.from - b.from);
  if (!first) return text;
  return (
    <>
      {text.slice(0, first.from)}
      <mark>{text.slice(first.from, first.to) || ' '}</mark>
      {text.slice(first.to)}
    </>
  );
}
