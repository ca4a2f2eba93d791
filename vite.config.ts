import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const service = process.env['FAULTLINE_URL'] ?? 'http://127.0.0.1:8080';

/** The page: `web/src` becomes `web/dist`. `vite` alone serves it with hot reload in front of a running service. */
export default defineConfig({
  root: fileURLToPath(new URL('web', import.meta.url)),
  plugins: [react(), compressAssets()],
  build: {
    // What the style sheets need (`light-dark()`) is in every browser since the middle of 2024.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    outDir: 'dist',
    emptyOutDir: true,
    // The content security policy allows files of this site only, no data: scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The tests read it to find out what the first view loads.
    manifest: true,
    reportCompressedSize: false,
    // Compressing takes its time, as it should; nobody needs to be told.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  worker: { format: 'es' },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/api', '/auth', '/services', '/integration', '/notification', '/openapi.json', '/docs'].map((path) => [
        path,
        service,
      ]),
    ),
  },
});

/** Compressed once, as well as it goes, so that no request has to wait for it. */
function compressAssets(): Plugin {
  const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)];
  return {
    name: 'compress-assets',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const texts = Object.keys(bundle).filter((name) => /\.(js|css|svg|html)$/.test(name));
      await Promise.all(
        texts.map(async (name) => {
          const file = join(dir, name);
          const bytes = await readFile(file);
          if (bytes.length < 1024) return;
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
          await writeFile(`${file}.br`, await brotli(bytes, { params }));
          await writeFile(`${file}.gz`, await zip(bytes, { level: 9 }));
        }),
      );
    },
  };
}
