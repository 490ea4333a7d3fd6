/** Formulas set as MathML. A module of its own, loaded when a formula is met. */
import temml from 'temml';
import 'temml/dist/Temml-Local.css';

/** Sets a formula into an element; false where it cannot be read, and the element is left empty. */
export type SetFormula = (tex: string, display: boolean, element: HTMLElement) => boolean;

// Nothing that a formula names is trusted: no links, no classes, no styles of its own.
const options = { throwOnError: true, trust: false, strict: false, maxExpand: 500 };

export const setFormula: SetFormula = (tex, display, element) => {
  try {
    temml.render(tex, element, { ...options, maxSize: [20, 20], displayMode: display });
    return true;
  } catch {
    element.replaceChildren();
    return false;
  }
};
