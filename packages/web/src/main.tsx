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
await loadLanguage();
const place = document.getElementById('app');
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
