import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useApi } from '../api/hooks.ts';
import { Icon } from '../design/icon.tsx';
import { type FoundNodes, searchUrl } from './graph-api.ts';
import { LabelMark } from './label-mark.tsx';
import { keyOf, type NodeRef } from './node-key.ts';
import './node-search.css';

/** As many as fit below the field; the service says whether there are more. */
const rows = 12;
/** A pause in typing that is long enough to ask. */
const pauseMs = 120;

/** Finds a node of any label while its name is typed. A newer question ends an older one that is still under way. */
export function NodeSearch({ teamId, onFound }: { teamId: string; onFound: (node: NodeRef) => void }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [marked, setMarked] = useState(0);
  const asked = useAfterPause(text.trim(), pauseMs);
  const found = useApi<FoundNodes>(asked === '' ? null : searchUrl(teamId, asked, rows), { keepPrevious: true });
  const nodes = asked === '' ? [] : (found.data?.nodes ?? []);
  const isListed = isOpen && asked !== '' && found.data !== undefined;
  useShortcut(() => field.current?.focus());

  const take = (node: NodeRef | undefined): void => {
    if (!node) return;
    setText('');
    setIsOpen(false);
    onFound(node);
  };
  const handleKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && nodes.length > 0) {
      setIsOpen(true);
      setMarked((marked + step + nodes.length) % nodes.length);
      event.preventDefault();
    } else if (event.key === 'Enter') take(isListed ? nodes[marked] : undefined);
    else if (event.key === 'Escape') setIsOpen(false);
  };

  return (
    <div className="node-search">
      <Icon name="search" />
      <input
        ref={field}
        className="input"
        role="combobox"
        aria-label="Search nodes"
        aria-expanded={isListed}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isListed && nodes.length > 0 ? `${id}-${marked}` : undefined}
        placeholder="Search all nodes by name"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setMarked(0);
          setIsOpen(true);
        }}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={handleKey}
      />
      <kbd aria-hidden="true">/</kbd>
      <div className="node-search-panel" hidden={!isListed}>
        <div role="listbox" id={`${id}-list`} aria-label="Nodes found">
          {nodes.map((node, place) => (
            // The field keeps the focus and hears the keys for its list.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
            <div
              key={keyOf(node)}
              id={`${id}-${place}`}
              role="option"
              tabIndex={-1}
              aria-selected={place === marked}
              className="node-search-row"
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => setMarked(place)}
              onClick={() => take(node)}
            >
              <span className="node-search-name">
                <Marked name={node.name} text={asked} />
              </span>
              <span className="small muted">
                <LabelMark teamId={teamId} label={node.label} />
              </span>
            </div>
          ))}
        </div>
        <p className="node-search-note small muted" role="status">
          {nodes.length === 0 && `No node has “${asked}” in its name.`}
          {nodes.length > 0 && found.data?.more && 'There are more: go on typing.'}
        </p>
      </div>
    </div>
  );
}

/** The name with the part that was looked for. */
function Marked({ name, text }: { name: string; text: string }) {
  const at = name.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return name;
  return (
    <>
      {name.slice(0, at)}
      <mark>{name.slice(at, at + text.length)}</mark>
      {name.slice(at + text.length)}
    </>
  );
}

function useAfterPause(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** A slash leads to the search, unless somebody is writing. */
function useShortcut(focus: () => void): void {
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent): void => {
      const isWriting = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      focus();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
}
