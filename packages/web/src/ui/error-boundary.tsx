import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  /** The content to show instead of children that cannot be rendered. */
  readonly fallback: ReactNode;
  /** When this value changes, rendering is tried again. */
  readonly of?: unknown;
  readonly onFail?: () => void;
  readonly children: ReactNode;
}

/**
 * Limits a render error to one part of the page: without it, a page file that the server no longer has, or one broken
 * message, would leave an empty window.
 */
export class ErrorBoundary extends Component<BoundaryProps, { readonly failed: boolean; readonly of: unknown }> {
  override state = { failed: false, of: this.props.of };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  static getDerivedStateFromProps(props: BoundaryProps, state: { readonly failed: boolean; readonly of: unknown }) {
    return props.of === state.of ? null : { failed: false, of: props.of };
  }

  override componentDidCatch(): void {
    this.props.onFail?.();
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
