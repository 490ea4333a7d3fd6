import { createElement, memo, type ReactElement, useMemo } from 'react';
import { type MathNode, toMath } from './tex.ts';

/** A formula. What this page cannot set it shows as it was written. */
export const Formula = memo(function Formula({
  tex,
  display,
}: {
  readonly tex: string;
  readonly display: boolean;
}): ReactElement {
  const math = useMemo(() => toMath(tex), [tex]);
  if (math === null) return <code className={display ? 'math-text display' : 'math-text'}>{tex}</code>;
  const formula = createElement('math', { display: display ? 'block' : 'inline', 'aria-label': tex }, set(math, 0));
  return display ? <div className="math-block">{formula}</div> : formula;
});

function set(node: MathNode, key: number): ReactElement {
  const { class: className, ...attributes } = node.attributes ?? {};
  const inside = node.inside?.map(set) ?? node.text;
  return createElement(node.tag, { key, ...attributes, ...(className === undefined ? {} : { className }) }, inside);
}
