import type { ReactElement } from 'react';
import { type Refused, wordsOf } from '../i18n/refusals.ts';
import type { Words as Said } from '../i18n/words.ts';

/** Words in the reader's language, and those of the server after them, marked as English for whoever listens. */
export function Words({ said, english = '' }: Said): ReactElement {
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
export function Refusal({ of }: { readonly of: Refused }): ReactElement {
  return <Words {...wordsOf(of)} />;
}
