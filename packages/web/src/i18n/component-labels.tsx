import { englishLabels, type Labels, LabelsContext } from '@coppice/react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { t, tn } from './index.ts';

/** The texts of the components of `@coppice/react` that the page uses. The page does not show the other texts. */
function labelsInLanguage(): Labels {
  return {
    ...englishLabels,
    previousVariant: t('previousVariant'),
    nextVariant: t('nextVariant'),
    variant: (at, count) => t('variantOf', { at, n: count }),
    outline: t('outline'),
    foldedMessages: (count) => tn('folded', count),
  };
}

/** Gives the components of `@coppice/react` the texts of the page's language. */
export function ComponentLabels({ children }: { readonly children: ReactNode }): ReactElement {
  // The page is reloaded when its language changes.
  const [labels] = useState(labelsInLanguage);
  return <LabelsContext value={labels}>{children}</LabelsContext>;
}
