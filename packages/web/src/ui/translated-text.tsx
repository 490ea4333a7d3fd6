import type { ReactElement } from 'react';
import { localizeError, type ReceivedError } from '../i18n/refusals.ts';
import type { TranslatedText } from '../i18n/translated-text.ts';

/** Text in the user's language, followed by the server's, marked as English for screen readers. */
export function TranslatedTextView({ said, english = '' }: TranslatedText): ReactElement {
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
export function ReceivedErrorText({ of }: { readonly of: ReceivedError }): ReactElement {
  return <TranslatedTextView {...localizeError(of)} />;
}
