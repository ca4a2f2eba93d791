import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import './toast.css';

type Message = { id: number; tone: 'good' | 'bad'; text: string };
type Toasts = { say: (text: string) => void; complain: (error: unknown) => void };

const Context = createContext<Toasts>({ say: () => undefined, complain: () => undefined });
const shownMs = 6000;

/** Short words about what was just done. They go away; what must be kept in sight belongs into the page. */
export const useToast = (): Toasts => useContext(Context);

export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<Message[]>([]);
  const lastId = useRef(0);
  const drop = useCallback((id: number) => setMessages((all) => all.filter((one) => one.id !== id)), []);
  const toasts = useMemo<Toasts>(() => {
    const add = (tone: Message['tone'], text: string): void => {
      const id = ++lastId.current;
      setMessages((all) => [...all.slice(-3), { id, tone, text }]);
      setTimeout(() => drop(id), shownMs);
    };
    return {
      say: (text) => add('good', text),
      complain: (error) => add('bad', error instanceof Error ? error.message : String(error)),
    };
  }, [drop]);
  return (
    <Context value={toasts}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {messages.map(({ id, tone, text }) => (
          <div key={id} className={`toast toast-${tone}`}>
            <Icon name={tone === 'good' ? 'check' : 'warning'} />
            <span className="wrap-anywhere">{text}</span>
            <IconButton isSmall label="Dismiss" icon="close" className="push" onClick={() => drop(id)} />
          </div>
        ))}
      </div>
    </Context>
  );
}
