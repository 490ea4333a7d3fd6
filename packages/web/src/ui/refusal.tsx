import type { ReactElement } from 'react';
import { localizeError, type ReceivedError } from '../i18n/refusals.ts';
import type { TranslatedText } from '../i18n/translated-text.ts';

/** Text in the user's language, followed by the server's, marked as English for screen readers. */
export function LocalizedError({ said, english = '' }: TranslatedText): ReactElement {
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
