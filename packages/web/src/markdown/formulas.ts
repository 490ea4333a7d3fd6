/** Renders formulas as MathML. A separate module, loaded with the first formula. */
import temml from 'temml';
import 'temml/dist/Temml-Local.css';
import { listTexVariants, makeTexOptions } from './tex.ts';

/** Renders a formula into an element; false if it is invalid, and the element is left empty. */
export type RenderFormula = (tex: string, display: boolean, element: HTMLElement) => boolean;

export const renderFormula: RenderFormula = (tex, display, element) => {
  for (const reading of listTexVariants(tex)) {
    try {
      temml.render(reading, element, makeTexOptions(display));
      if (element.querySelector('.temml-error') === null && element.querySelector('math') !== null) return true;
    } catch {
      // Another variant of the formula may succeed.
    }
  }
  element.replaceChildren();
  return false;
};
