import { memo, type ReactElement, useLayoutEffect, useRef, useState } from 'react';
import { useFormulas } from './use-library.ts';

/** A formula. Until it is rendered, or if that fails, it is shown as written. */
export const Formula = memo(function Formula({
  tex,
  display,
}: {
  readonly tex: string;
  readonly display: boolean;
}): ReactElement {
  const place = useRef<HTMLSpanElement>(null);
  const setFormula = useFormulas();
  const [isSet, setIsSet] = useState(false);
  useLayoutEffect(() => {
    if (place.current !== null && setFormula !== null) setIsSet(setFormula(tex, display, place.current));
  }, [setFormula, tex, display]);
  return (
    <>
      <span ref={place} className={display ? 'math-block' : undefined} role="math" aria-label={tex} hidden={!isSet} />
      {isSet ? null : <code className={display ? 'math-text display' : 'math-text'}>{tex}</code>}
    </>
  );
});
