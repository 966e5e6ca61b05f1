import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NotInstalled } from '../support/client-generators/generator.ts';
import { CLIENT_GENERATORS } from '../support/client-generators/index.ts';
import { createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

// What a generator writes is compiled with a program of its language (test/generated-client), which uses it.

let instance: TestInstance;
let user: TestUser;
let folder: string;
let document: string;
beforeAll(async () => {
  instance = await startTestInstance();
  folder = await mkdtemp(join(tmpdir(), 'everturn-clients-'));
  document = join(folder, 'openapi.json');
  await writeFile(document, await (await fetch(`${instance.api.url}/openapi.json`)).text());
});
afterAll(async () => {
  await instance.close();
  await rm(folder, { recursive: true });
});

// One after the other: each takes a processor of its own to install and to compile.
for (const generator of CLIENT_GENERATORS) {
  const failure = await generator.install().then(
    () => undefined,
    (error: Error) => error,
  );
  if (failure instanceof NotInstalled) {
    // oxlint-disable-next-line jest/no-disabled-tests
    test.skip(`${generator.name} (skipped: ${failure.message})`, () => undefined);
  } else {
    describe(generator.name, () => {
      test('writes a client that compiles, signs in, lists records, has an agent answer, and reads errors', async () => {
        if (failure !== undefined) throw failure;
        user = await registerUser(instance.api.url);
        await createProvider(user.client, instance.model.url);
        await user.client.post('/api/mcp-servers', { name: 'Shop', url: 'https://mcp.example.com/mcp' });
        await user.client.post('/api/integrations', {
          kind: 'github',
          name: 'Code',
          credentials: { token: 'a-sample-token' },
        });
        const client = await mkdtemp(join(folder, 'client-'));
        await generator.compile(document, client);
        const report: unknown = JSON.parse(await generator.use(client, [instance.api.url, user.email, user.password]));
        expect(report).toEqual({
          agent: 'Helper',
          server: 'Shop',
          integration: 'Code',
          has_ended: true,
          message: 'Good evening',
          answer: 'Good morning',
          code: 'model_not_found',
          missing: 'Agent not found',
          invalid: 'must not be empty',
        });
      });
    });
  }
}
