import { Component, type ReactNode } from 'react';
import { ErrorState } from './states.tsx';

type Props = { children: ReactNode; fallback?: ReactNode };

/**
 * If a part of the page fails to render, or its code cannot be loaded, only that part is replaced
 * by an error; without this, the whole page would be gone. After a release the code of the release
 * before is gone, so trying again reloads the page.
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
