/** Libraries that are loaded when a message first needs them. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { RenderFormula } from './formulas.ts';
import type { Highlighter } from './highlight.ts';

interface Libraries {
  readonly highlighter: Highlighter | null;
  readonly renderFormula: RenderFormula | null;
}

const useLibraries = create<Libraries>(() => ({ highlighter: null, renderFormula: null }));

// If a library cannot be loaded, code stays plain and formulas are shown as written.
const loadHighlighter = once(async () => {
  // Loaded after the text is visible: the code can be read without highlighting.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)));
  const { highlighter } = await import('./highlighter.ts');
  useLibraries.setState({ highlighter });
});
const loadFormulaRenderer = once(async () => {
  const { renderFormula } = await import('./formulas.ts');
  useLibraries.setState({ renderFormula });
});

function once(load: () => Promise<void>): () => void {
  let begun = false;
  return () => {
    if (begun) return;
    begun = true;
    load().catch(() => {
      begun = false;
    });
  };
}

/** The highlighter; null until it is loaded, or if it is not wanted. */
export function useHighlighter(wanted: boolean): Highlighter | null {
  const loaded = useLibraries((state) => state.highlighter);
  useEffect(() => {
    if (wanted) loadHighlighter();
  }, [wanted]);
  return wanted ? loaded : null;
}

/** The formula renderer; null until it is loaded. */
export function useFormulaRenderer(): RenderFormula | null {
  const loaded = useLibraries((state) => state.renderFormula);
  useEffect(loadFormulaRenderer, []);
  return loaded;
}
