import './styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { currentLanguage } from './i18n/index.ts';
import { applyTheme, useUi } from './state/ui.ts';

applyTheme(useUi.getState().theme);
document.documentElement.lang = currentLanguage();
const place = document.getElementById('app');
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
