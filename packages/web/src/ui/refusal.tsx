import type { ReactElement } from 'react';
import type { Dictionary as Said } from '../i18n/dictionary.ts';
import { localizeError, type Refused } from '../i18n/refusals.ts';

/** Words in the reader's language, and those of the server after them, marked as English for whoever listens. */
export function LocalizedError({ said, english = '' }: Said): ReactElement {
  return (
    <>
      {said}
      {english === '' ? null : (
        <>
          {said === '' ? '' : ' '}
          <span lang="en">{english}</span>
        </>
      )}
    </>
  );
}

/** Why something was not done, in the reader's language. */
export function RefusalNotice({ of }: { readonly of: Refused }): ReactElement {
  return <LocalizedError {...localizeError(of)} />;
}
