import './styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyLanguage, loadLanguage } from './i18n/index.ts';
import { loadCachedFonts } from './state/fonts.ts';
import { pageHost } from './state/page-host.ts';
import { applyTheme, useUi } from './state/ui.ts';

loadCachedFonts();
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

// Not awaited at the top level: a language chunk may import from this module, and both would wait for each other.
void loadLanguage().then(render);

// The service worker is registered only for the page of a server on a secure address; elsewhere the page needs the
// server.
if (import.meta.env.PROD && pageHost.files === '')
  addEventListener('load', () => void navigator.serviceWorker?.register('/service-worker.js').catch(() => undefined));
