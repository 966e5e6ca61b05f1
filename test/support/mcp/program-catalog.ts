import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { makeProgramFolder } from '../program-folder.ts';
import { PROGRAM_SERVER } from './program-server.ts';

const { resolve } = createRequire(import.meta.url);
/** The reference server, as it is installed for tests. */
const EVERYTHING = dirname(resolve('@modelcontextprotocol/server-everything/package.json'));

/** A catalogue of programs for tests. */
export interface ProgramCatalog {
  /** Of the form of the file of `MCP_CATALOG`. */
  readonly json: string;
  /** Such a file. */
  readonly path: string;
  remove(): void;
}

/** Makes a catalogue: `small` takes a secret, `plain` none, `broken` ends at its start, `everything` is by others. */
export function makeProgramCatalog(): ProgramCatalog {
  const folder = makeProgramFolder('everturn-programs-');
  const [server, packages] = [join(folder, 'server.cjs'), join(folder, 'node_modules')];
  writeFileSync(server, PROGRAM_SERVER);
  // Shown inside under this name, so that it does not matter where the tests are; packages find others by it.
  symlinkSync(dirname(dirname(EVERYTHING)), packages);
  const small = { name: 'Small', command: ['/usr/bin/env', 'node', server], folders: [server] };
  const everything = join(packages, '@modelcontextprotocol/server-everything/dist/index.js');
  const json = JSON.stringify({
    small: { ...small, secret_variable: 'TOKEN', environment: { MODE: 'test' } },
    plain: { ...small, description: 'Small, without a secret.' },
    broken: { ...small, environment: { DIES_AT_START: '1' } },
    everything: { name: 'Everything', command: ['/usr/bin/env', 'node', everything], folders: [packages] },
  });
  const path = join(folder, 'catalog.json');
  writeFileSync(path, json);
  return { json, path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
