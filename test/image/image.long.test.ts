import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTemporal } from '../../scripts/stack/temporal/start-temporal.ts';
import { describeAsRootWith } from '../support/describe-with-program.ts';
import { createAgent, createChat, createProvider, registerUser } from '../support/factories.ts';
import { freePort } from '../support/free-port.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model/index.ts';
import { sharedServices } from '../support/shared-services.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { createEmptyDatabase, type EmptyDatabase } from '../support/test-database.ts';
import { Undo } from '../support/undo.ts';
import { waitUntil } from '../support/wait-until.ts';
import { storeBaseImage } from './base-image.ts';
import { type ComposeService, readComposeService, ROOT } from './compose-service.ts';
import { ContainerStore, IMAGE_PROGRAMS } from './container-store.ts';

const BASE = 'docker.io/library/node:24-bookworm-slim';
const IMAGE = 'everturn:test';
/** The user of the image, and another one, such as who takes a backup. */
const NODE_ID = 1000;
const OTHER_ID = 4321;

describeAsRootWith('the image, on a base of Debian packages in place of the official one', IMAGE_PROGRAMS, () => {
  const undo = new Undo();
  let store: ContainerStore;
  let database: EmptyDatabase;
  let model: ScriptedModel;
  let url: string;
  let services: Readonly<Record<'migrate' | 'api' | 'worker', ComposeService>>;

  beforeAll(async () => {
    store = new ContainerStore();
    undo.add(async () => store.remove());
    await storeBaseImage(store, BASE);
    await store.buildah('build', '--pull-never', '--tag', IMAGE, ROOT);
    database = await createEmptyDatabase();
    undo.add(async () => database.drop());
    const [apiPort, temporalPort] = [await freePort(), await freePort()];
    const { temporalBinary: binary } = sharedServices();
    const temporal = await startTemporal({ binary, port: temporalPort, log: () => undefined });
    undo.add(async () => {
      temporal.kill();
      await temporal.exited;
    });
    model = await startScriptedModel();
    undo.add(async () => model.close());
    url = `http://127.0.0.1:${apiPort}`;
    const key = join(store.folder, 'secret-key');
    writeFileSync(key, TEST_SECRET_KEY, { mode: 0o444 });
    const settings = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: temporal.address,
      SECRET_KEY_FILE: '/run/secrets/secret-key',
      HOST: '127.0.0.1',
      PORT: String(apiPort),
      PUBLIC_URL: url,
      REGISTRATION: 'open',
      ALLOW_PRIVATE_HOSTS: `127.0.0.1:${model.port}`,
    };
    const read = (name: string, environment: Readonly<Record<string, string>> = {}) => {
      const { options, command, healthCheck } = readComposeService(name, { ...settings, ...environment });
      return {
        options: [...options, `--volume=${key}:/run/secrets/secret-key:ro`],
        command,
        healthCheck: healthCheck.map((word) => word.replace(':3000/', `:${apiPort}/`)),
      };
    };
    services = {
      migrate: read('migrate', { DATABASE_URL: database.ownerUrl }),
      api: read('api'),
      worker: read('worker'),
    };
  });
  afterAll(async () => undo.all());

  /** Runs a command in the container of a service, as `docker compose run --rm` does; returns what it prints. */
  const runOnce = async (name: keyof typeof services, command: readonly string[], more: readonly string[] = []) =>
    store.podman('run', '--rm', ...services[name].options, ...more, IMAGE, ...command);
  const isHealthy = async (name: keyof typeof services) =>
    store.podman('exec', name, ...services[name].healthCheck).then(
      () => true as const,
      () => undefined,
    );

  test('runs as a user who owns nothing in it but the folder of workspaces', async () => {
    const folders = ['/app', '/etc', '/opt', '/srv', '/usr', '/var'];
    const everywhere = ['--user=root', '--cap-add=DAC_READ_SEARCH'];
    const owned = await runOnce('migrate', ['find', ...folders, '-user', 'node', '-prune'], everywhere);
    expect(owned.trim().split('\n')).toEqual(['/var/lib/everturn/workspaces']);
    expect((await runOnce('migrate', ['id', '-u'])).trim()).toBe(String(NODE_ID));
  });

  test('has the programs that commands of agents find', async () => {
    for (const program of ['bwrap', 'curl', 'git', 'jq', 'python3'])
      expect(await runOnce('migrate', [program, '--version'])).toMatch(/\d\.\d/);
  });

  test('brings an empty database up to date', async () => {
    expect(await runOnce('migrate', services.migrate.command)).toContain('baseline');
  });

  test('starts an api and a worker that the health checks of docker-compose.yml find healthy', async () => {
    for (const name of ['api', 'worker'] as const) {
      const { options, command } = services[name];
      await store.podman('run', '--detach', '--name', name, ...options, IMAGE, ...command);
      await waitUntil(`the ${name} to be healthy`, async () => isHealthy(name));
    }
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ engine: 'reachable' })]);
    expect(await (await fetch(url, { headers: { accept: 'text/html' } })).text()).toContain('<div id="root">');
  });

  test('answers a message with what a command in the sandbox has printed', async () => {
    const { client } = await registerUser(url);
    await createProvider(client, model.url);
    const agent = { tools: ['shell_run'], requires_approval: { shell_run: 'never' } };
    const chatId = await createChat(client, await createAgent(client, agent));
    const command = 'python3 -c "print(6 * 7)" | tee answer.txt | jq --raw-output "\\"it is \\\\(.)\\""';
    const content = `[[tool shell_run ${JSON.stringify({ command })}]] [[then]] [[say heard]]`;
    await client.post(`/api/chats/${chatId}/stream`, { content });
    const messages = await client.get<{ content: string; metadata_: unknown }[]>(`/api/chats/${chatId}/messages`);
    expect(messages.json.at(-1)).toMatchObject({
      content: 'heard',
      metadata_: { tool_calls_detail: [{ status: 'success', result: expect.stringContaining('it is 42') }] },
    });
  });

  test('checks the installation, and writes a backup that belongs to who takes it', async () => {
    const said = await runOnce('worker', ['node', 'operator/doctor.ts', '--json', '--api', url]);
    const findings = JSON.parse(said) as { status: string; detail: string }[];
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(findings.map(({ detail }) => detail)).toContain('commands run in the sandbox');
    const folder = join(store.folder, 'backups');
    mkdirSync(folder);
    chownSync(folder, OTHER_ID, OTHER_ID);
    const mount = [`--user=${OTHER_ID}:${OTHER_ID}`, `--volume=${folder}:/backups`];
    await runOnce('worker', ['node', 'operator/backup.ts', '/backups/monday'], mount);
    expect(existsSync(join(folder, 'monday/manifest.json'))).toBe(true);
    expect(statSync(join(folder, 'monday/manifest.json')).uid).toBe(OTHER_ID);
  });

  test('writes nothing outside its volumes, no more than a container that does nothing, and files there belong to its user', async () => {
    for (const name of ['api', 'worker'] as const) {
      await store.podman('run', '--name', `idle-${name}`, ...services[name].options, IMAGE, 'true');
      expect(await store.podman('diff', name)).toBe(await store.podman('diff', `idle-${name}`));
    }
    const [volume = ''] = (await store.podman('volume', 'inspect', '--format', '{{.Mountpoint}}', 'workspaces')).split(
      '\n',
    );
    const files = readdirSync(volume, { recursive: true, encoding: 'utf8' });
    expect(files).toContainEqual(expect.stringMatching(/\/answer\.txt$/));
    const owners = files.map((file) => statSync(join(volume, file)).uid);
    expect([...new Set(owners)]).toEqual([NODE_ID]);
  });

  test('ends without an error when it is asked to', async () => {
    for (const name of ['api', 'worker']) {
      await store.podman('stop', '--time', '60', name);
      expect((await store.podman('inspect', '--format', '{{.State.ExitCode}}', name)).trim()).toBe('0');
    }
  });
});
