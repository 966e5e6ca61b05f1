import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { definitionFiles } from './definition-files.ts';

// Writes `builtin/tools/<key>/tool.json` anew, which the api shows and exports without knowing what the tools do.
const folder = fileURLToPath(new URL('../../../builtin/tools', import.meta.url));
rmSync(folder, { recursive: true, force: true });
for (const file of definitionFiles) {
  mkdirSync(`${folder}/${file.key}`, { recursive: true });
  writeFileSync(`${folder}/${file.key}/tool.json`, `${JSON.stringify(file, undefined, 2)}\n`);
}
