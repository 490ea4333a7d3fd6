import type { ReactElement } from 'react';

/** The logo: rings with three branches. */
export function LogoMark({ size = 22 }: { readonly size?: number }): ReactElement {
  return (
    <svg viewBox="0 0 22 22" width={size} height={size} fill="none" strokeLinecap="round" aria-hidden="true">
      <path className="side-lines" d="M9.4 15.4C9.4 10 4.6 10.6 4.6 4.2M12.6 15.4c0-5.4 4.8-4.8 4.8-11.2" />
      <path className="active-line" d="M11 15.6V2.2" />
      <ellipse className="ring" cx="11" cy="17.2" rx="7.4" ry="2.6" />
      <ellipse className="ring" cx="11" cy="17.2" rx="3.6" ry="1.15" />
    </svg>
  );
}

export function EmptyListDrawing(): ReactElement {
  return (
    <svg className="sprout" width="120" height="86" viewBox="0 0 120 86" aria-hidden="true">
      <path className="pot" d="M26 56l-6 20q40 14 80 0l-6-20" />
      <ellipse className="pot" cx="60" cy="56" rx="34" ry="11" />
      <ellipse cx="60" cy="56" rx="24" ry="7.6" />
      <ellipse cx="60" cy="56" rx="13" ry="4" />
      <path className="active-line" d="M60 56C60 40 61 30 60 14" />
      <circle className="bud" cx="60" cy="9" r="4.5" />
    </svg>
  );
}
