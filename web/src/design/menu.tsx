import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import './menu.css';

/** A button that opens a small panel below itself. Escape, a click elsewhere, or leaving with Tab closes it. */
export function Popover({
  label,
  trigger,
  children,
  onClose,
  isWide = false,
}: {
  label: string;
  /** What the button shows. */
  trigger: ReactNode;
  children: (close: () => void) => ReactNode;
  onClose?: () => void;
  isWide?: boolean;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (): void => {
    if (!isOpen) return;
    setIsOpen(false);
    onClose?.();
  };
  const closeFromOutside = useEffectEvent(close);
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = (event: Event): void => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) closeFromOutside();
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [isOpen]);
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isOpen) return;
    close();
    button.current?.focus();
  };
  return (
    // The keys of what is inside pass by here.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="popover" ref={box} onKeyDown={handleKey}>
      <button
        ref={button}
        type="button"
        className="button button-ghost"
        aria-label={label}
        title={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => (isOpen ? close() : setIsOpen(true))}
      >
        {trigger}
      </button>
      {isOpen && (
        <div id={id} className={isWide ? 'popover-panel popover-wide' : 'popover-panel'}>
          {children(close)}
        </div>
      )}
    </div>
  );
}
