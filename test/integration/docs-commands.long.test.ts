import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeDocsCommands } from './describe-docs-commands.ts';

describeDocsCommands(globSync('docs/*.md', { cwd: fileURLToPath(new URL('../../', import.meta.url)) }));
