import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generatorFolder, type ClientGenerator } from './generator.ts';
import { PythonEnvironment } from './python-environment.ts';

const GENERATOR = 'openapi-python-client==0.29.1';
const python = new PythonEnvironment(generatorFolder(GENERATOR), [GENERATOR]);
const SETTINGS = { content_type_overrides: { 'application/zip': 'application/octet-stream' }, post_hooks: [] };
const FAULT = /WARNING|ERROR/;

/** A generator of clients in Python, which leaves out what it does not understand, and says so. */
export const openapiPythonClient: ClientGenerator = {
  name: 'openapi-python-client (Python)',
  install: async () => python.install(),
  compile: async (document, folder) => {
    const settings = join(folder, 'settings.json');
    await writeFile(settings, JSON.stringify(SETTINGS));
    const options = ['--path', document, '--config', settings, '--output-path', join(folder, 'everturn')];
    const said = await python.run('openapi-python-client', ['generate', '--meta', 'none', ...options]);
    if (FAULT.test(said)) throw new Error(said);
    await python.compile(folder, 'openapi_python_client.py');
  },
  use: async (folder, args) => python.use(folder, args),
};
