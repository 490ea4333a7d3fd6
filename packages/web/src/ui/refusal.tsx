import type { ReactElement } from 'react';
import type { TranslatedText as Said } from '../i18n/dictionary.ts';
import { localizeError, type ReceivedError } from '../i18n/refusals.ts';

/** Text in the user's language, followed by the server's, marked as English for screen readers. */
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

/** The message of a server error in the user's language. */
export function RefusalNotice({ of }: { readonly of: ReceivedError }): ReactElement {
  return <LocalizedError {...localizeError(of)} />;
}
