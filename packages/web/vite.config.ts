import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig(({ command }) => {
  // Who builds while this says something else, as a test runner does, would build the slow form of the page that is for looking
  // into it, and `npm start` would serve that afterwards.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    plugins: [react()],
    build: {
      target: 'es2023',
      // A file turned into a data: address would need a hole in the page's content security policy.
      assetsInlineLimit: 0,
      // Everything that understands the page's syntax also preloads by itself.
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 700,
    },
    // `npm run dev` beside a running server, which takes no writes from a page of another origin than its own.
    server: {
      host: '127.0.0.1',
      proxy: {
        '/api': { target: 'http://127.0.0.1:4460', changeOrigin: true, headers: { origin: 'http://127.0.0.1:4460' } },
      },
    },
  };
});
