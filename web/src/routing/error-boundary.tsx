import { Component, type ReactNode } from 'react';
import { ErrorState } from '../design/states.tsx';

type Props = {
  children: ReactNode /** Another value gives the content another chance: the address. */;
  resetKey: string;
};
type State = { error: Error | null; resetKey: string };

/** One broken view must not take the frame, and with it the way out, with it. React offers this to classes only. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): Partial<State> | null {
    return resetKey === state.resetKey ? null : { error: null, resetKey };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="page">
        <ErrorState title="This view could not be shown" error={error} onRetry={() => location.reload()} />
      </div>
    );
  }
}
