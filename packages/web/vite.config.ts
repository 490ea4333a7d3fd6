import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig(({ command }) => {
  // With another NODE_ENV, as in a test runner, the slow development build would be created, and `npm start` would
  // serve it afterwards.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    plugins: [react()],
    build: {
      target: 'es2023',
      // A file inlined as a data: URL would need an exception in the page's content security policy.
      assetsInlineLimit: 0,
      // All browsers that support the page's syntax also support module preload.
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 700,
    },
    // For `npm run dev` with a running server, which accepts no writes from another origin.
    server: {
      host: '127.0.0.1',
      proxy: {
        '/api': { target: 'http://127.0.0.1:4460', changeOrigin: true, headers: { origin: 'http://127.0.0.1:4460' } },
      },
    },
  };
});
