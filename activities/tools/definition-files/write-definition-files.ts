import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { definitionFiles } from './builtin-definition.ts';

// Writes `builtin/tools/<key>/tool.json`, which the api shows and exports without loading the tools' code. With
// `--check` it only lists the outdated ones.
const folder = fileURLToPath(new URL('../../../builtin/tools', import.meta.url));
const files = definitionFiles.map((file) => ({
  path: `${folder}/${file.key}`,
  text: `${JSON.stringify(file, undefined, 2)}\n`,
}));

if (process.argv.includes('--check')) {
  const stale = files.filter(({ path, text }) => text !== readIfThere(`${path}/tool.json`));
  for (const { path } of stale) process.stdout.write(`${path}/tool.json is out of date: npm run tools\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  rmSync(folder, { recursive: true, force: true });
  for (const { path, text } of files) {
    mkdirSync(path, { recursive: true });
    writeFileSync(`${path}/tool.json`, text);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
