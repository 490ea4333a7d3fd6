import type { ReactElement, ReactNode } from 'react';
import { navigateTo, type PageRoute, urlOfRoute } from '../state/router.ts';

interface LinkProps {
  readonly to: PageRoute;
  readonly className?: string;
  readonly current?: boolean;
  readonly label?: string;
  readonly children?: ReactNode;
}

/** A link within the page. With a modifier key it opens in a new tab, like any link. */
export function PageLink({ to, className, current = false, label, children }: LinkProps): ReactElement {
  return (
    <a
      href={urlOfRoute(to)}
      className={className}
      aria-current={current ? 'page' : undefined}
      aria-label={label}
      title={label}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        navigateTo(to);
      }}
    >
      {children}
    </a>
  );
}
