import { readFileSync, writeFileSync } from 'node:fs';
import { chatSocketDescription } from '../../chat-socket/index.ts';
import { orgEventsDescription } from '../../org-events/index.ts';
import { routes } from '../../routes.ts';
import { openApiDocument } from '../openapi.ts';
import { type Described, emitTypes } from './emit-types.ts';

// npm run types: writes console/openapi.ts, the types of the api as the console sees it. With `--check` it only
// compares.

const file = new URL('../../../console/openapi.ts', import.meta.url);
const document = openApiDocument({ routes, sockets: [chatSocketDescription, orgEventsDescription], version: '' });
const wanted = emitTypes(document as unknown as Described);
if (!process.argv.includes('--check')) writeFileSync(file, wanted);
else if (readText() !== wanted) {
  process.stdout.write('console/openapi.ts does not say what the api says: run npm run types\n');
  process.exitCode = 1;
}

function readText(): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
