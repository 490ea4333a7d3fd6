import { memo, type ReactElement, useLayoutEffect, useRef, useState } from 'react';
import { useFormulaRenderer } from './lazy-libraries.ts';

/** A formula. Until it is rendered, or if that fails, it is shown as written. */
export const FormulaView = memo(function Formula({
  tex,
  display,
}: {
  readonly tex: string;
  readonly display: boolean;
}): ReactElement {
  const place = useRef<HTMLSpanElement>(null);
  const renderFormula = useFormulaRenderer();
  const [isSet, setIsSet] = useState(false);
  useLayoutEffect(() => {
    if (place.current !== null && renderFormula !== null) setIsSet(renderFormula(tex, display, place.current));
  }, [renderFormula, tex, display]);
  return (
    <>
      <span ref={place} className={display ? 'math-block' : undefined} role="math" aria-label={tex} hidden={!isSet} />
      {isSet ? null : <code className={display ? 'math-text display' : 'math-text'}>{tex}</code>}
    </>
  );
});
