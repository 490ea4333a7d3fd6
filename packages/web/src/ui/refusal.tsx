import type { ReactElement } from 'react';
import { type RefusalWords, type Refused, wordsOf } from '../i18n/refusals.ts';

/** Words in the reader's language, and those of the server after them, marked as English for whoever listens. */
export function Words({ said, english = '' }: RefusalWords): ReactElement {
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
