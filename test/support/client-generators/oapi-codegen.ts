import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { generatorFolder, type ClientGenerator, once, PROGRAMS, run } from './generator.ts';

const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const LIBRARIES = ['github.com/oapi-codegen/runtime@v1.9.0', 'github.com/google/uuid@v1.6.0'];
const FOLDER = generatorFolder(GENERATOR.replaceAll('/', '+'));

/** The generator of clients in Go. */
export const oapiCodegen: ClientGenerator = {
  name: 'oapi-codegen (Go)',
  install: async () => {
    await once(FOLDER, async () => run('go', ['install', GENERATOR], { env: { GOBIN: FOLDER } }));
  },
  compile: async (document, folder) => {
    await mkdir(join(folder, 'everturn'));
    const written = join(folder, 'everturn/client.go');
    await run(join(FOLDER, 'oapi-codegen'), ['-generate=types,client', '-package=everturn', '-o', written, document]);
    await copyFile(join(PROGRAMS, 'oapi_codegen.go'), join(folder, 'main.go'));
    await run('go', ['mod', 'init', 'example.com/client'], { cwd: folder });
    await run('go', ['get', ...LIBRARIES], { cwd: folder });
    await run('go', ['build', '-o', 'program', '.'], { cwd: folder, env: { GOFLAGS: '-mod=mod' } });
  },
  use: async (folder, args) => run(join(folder, 'program'), args),
};
