import { memo, type ReactElement, useMemo } from 'react';
import { t } from '../i18n/index.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { useScrollable } from '../ui/use-scrollable.ts';
import { inkOf } from './ink.ts';

/** A block of code with its language and a button that copies it. */
export const Code = memo(function Code({
  code,
  language,
}: {
  readonly code: string;
  readonly language: string;
}): ReactElement {
  const scrolls = useScrollable<HTMLPreElement>();
  const parts = useMemo(() => inkOf(code, language), [code, language]);
  return (
    <div className="code">
      <div>
        <span>{language}</span>
        <CopyButton text={code} label={t('copyCode')} />
      </div>
      <pre ref={scrolls} dir="ltr">
        {parts.map((part) =>
          part.ink === null ? (
            part.text
          ) : (
            <span key={part.at} className={part.ink}>
              {part.text}
            </span>
          ),
        )}
      </pre>
    </div>
  );
});
