import type { ReactElement, ReactNode } from 'react';

interface SectionHeadProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly action?: ReactNode;
}

export function SectionHead({ title, lead, action }: SectionHeadProps): ReactElement {
  return (
    <div className="section-head">
      <div className="grow">
        <h1>{title}</h1>
        <p className="lead">{lead}</p>
      </div>
      {action}
    </div>
  );
}
