import { Component, type ReactNode } from 'react';
import { ErrorState } from './states.tsx';

type Props = { children: ReactNode; fallback?: ReactNode };

/**
 * What fails while it is drawn, or whose code does not come, is missing alone: without this, nothing would be left of the page. After a
 * release the code of the one before is gone, so trying again means loading the page anew.
 */
export class ErrorBoundary extends Component<Props, { error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return this.props.fallback ?? <ErrorState error={error} onRetry={() => location.reload()} />;
  }
}
