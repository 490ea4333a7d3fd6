import './styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyLanguage, loadLanguage } from './i18n/index.ts';
import { loadKnownFonts } from './state/fonts.ts';
import { applyTheme, useUi } from './state/ui.ts';

loadKnownFonts();
applyTheme(useUi.getState().theme);
applyLanguage();

function render(): void {
  const place = document.getElementById('app');
  if (place !== null)
    createRoot(place).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
}

// Not awaited at the top level: the chunk of a language can import from this one, which would wait for it in turn.
void loadLanguage().then(render);
