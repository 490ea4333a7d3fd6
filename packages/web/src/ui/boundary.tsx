import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  /** What is shown in place of what cannot be drawn. */
  readonly fallback: ReactNode;
  /** When it changes, what failed is tried again. */
  readonly of?: unknown;
  readonly onFail?: () => void;
  readonly children: ReactNode;
}

/**
 * Keeps a part of the page that cannot be drawn from taking the rest with it: without one, a file of the page that the
 * server no longer has, or one message that cannot be read, would leave an empty window.
 */
export class Boundary extends Component<BoundaryProps, { readonly failed: boolean; readonly of: unknown }> {
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
