import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatorFolder, type ClientGenerator, once, PROGRAMS, run } from './generator.ts';
import { PythonEnvironment } from './python-environment.ts';

const VERSION = '7.25.0';
const ARTIFACT = `org.openapitools:openapi-generator-cli:${VERSION}`;
const FOLDER = generatorFolder(`openapi-generator-${VERSION}`);
const LIBRARIES = ['urllib3==2.8.0', 'python-dateutil==4.0.0', 'pydantic==2.14.3', 'typing-extensions==4.16.0'];
const python = new PythonEnvironment(generatorFolder(`openapi-generator-${VERSION}-python`), LIBRARIES);
const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

async function install(): Promise<void> {
  await run('java', ['-version']);
  const copy = ['dependency:copy', `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${FOLDER}`];
  await once(FOLDER, async () => run('mvn', ['--quiet', '--batch-mode', ...copy]));
}

async function generate(document: string, folder: string, options: readonly string[]): Promise<void> {
  const jar = join(FOLDER, `openapi-generator-cli-${VERSION}.jar`);
  await run('java', ['-jar', jar, 'generate', '-i', document, '-o', folder, ...options]);
}

/** OpenAPI Generator, for clients in Python. */
export const openapiGeneratorPython: ClientGenerator = {
  name: 'OpenAPI Generator (Python)',
  install: async () => {
    await install();
    await python.install();
  },
  compile: async (document, folder) => {
    await generate(document, folder, ['-g', 'python', '--package-name', 'everturn']);
    await python.compile(folder, 'openapi_generator.py');
  },
  use: async (folder, args) => python.use(folder, args),
};

/** OpenAPI Generator, for clients in TypeScript. */
export const openapiGeneratorTypescript: ClientGenerator = {
  name: 'OpenAPI Generator (TypeScript)',
  install,
  compile: async (document, folder) => {
    const options = ['-g', 'typescript-fetch', '--additional-properties', 'importFileExtension=.js'];
    await generate(document, join(folder, 'everturn'), options);
    await copyFile(join(PROGRAMS, 'openapi-generator.ts'), join(folder, 'program.ts'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'dom'],
      types: ['node'],
      typeRoots: [join(PACKAGES, '@types')],
      strict: true,
      rootDir: '.',
      outDir: 'compiled',
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    await run(process.execPath, [join(PACKAGES, 'typescript/bin/tsc'), '--project', folder]);
  },
  use: async (folder, args) => run(process.execPath, [join(folder, 'compiled/program.js'), ...args]),
};
