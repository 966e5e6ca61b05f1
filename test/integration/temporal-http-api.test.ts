import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONVERSATION, conversationId } from '../../workflows/turns/contract.ts';
import { startTemporal } from '../../scripts/stack/temporal/start-temporal.ts';
import { TASK_QUEUE } from '../../workflows/core/contract.ts';
import { PURGE_ORG, purgeOrgId } from '../../workflows/housekeeping/contract.ts';
import { SHORT_WORKFLOWS } from '../../workflows/short/contract.ts';
import { createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { freePort } from '../support/free-port.ts';
import { casesOf, longTest } from '../support/in-length.ts';
import { sharedServices } from '../support/shared-services.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { LIMIT_MS, waitUntil } from '../support/wait-until.ts';

// Where a process listens is told by Linux alone.
const describeOnLinux = process.platform === 'linux' ? describe : describe.skip;

describeOnLinux('the HTTP API of the embedded Temporal server', () => {
  const { temporalBinary: binary } = sharedServices();
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance();
  });
  afterAll(async () => instance.close());

  test.each(['127.0.0.1', 'localhost', 'evil.example', 'none.invalid', '[::1]', '*', 'no%20host', ''])(
    'refuses whoever asks for it as host "%s"',
    async (host) => {
      expect(await askUntil(403, instance.temporalPid, host)).not.toContain(200);
    },
  );

  longTest('would answer without our configuration', async () => {
    const dynamicConfig = { 'frontend.httpAllowedHosts': '["*"]' };
    const open = await startTemporal({ binary, port: await freePort(), dynamicConfig, log: () => undefined });
    await askUntil(200, open.pid, 'evil.example');
    await open.stop();
  });
});

/** The TCP ports of 127.0.0.1 on which a process listens. */
function listeningPorts(pid: number): number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  const LISTEN = '0A';
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTEN && sockets.has(fields[9] ?? ''))
    .map((fields) => Number.parseInt(fields[1]?.split(':')[1] ?? '', 16));
}

/** Asks all ports of a process until one answers so; returns the answers of all. */
async function askUntil(status: number, pid: number, host: string): Promise<(number | undefined)[]> {
  return waitUntil(`a port to answer ${status}`, async () => {
    const answers = await askEverywhere(listeningPorts(pid), host);
    return answers.includes(status) ? answers : undefined;
  });
}

/** The status that each port answers with, `undefined` for those that do not speak HTTP/1.1. */
async function askEverywhere(ports: readonly number[], host: string): Promise<(number | undefined)[]> {
  return Promise.all(
    ports.map(
      async (port) =>
        new Promise<number | undefined>((resolve) => {
          const path = '/api/v1/namespaces/default/workflows';
          // oxlint-disable-next-line everturn/no-asserted-time -- all are asked again until one responds
          request({ port, host: '127.0.0.1', path, headers: { host }, timeout: 5_000 }, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          })
            .on('error', () => resolve(undefined))
            .on('timeout', () => resolve(undefined))
            .end();
        }),
    ),
  );
}

describe('who reaches the engine', () => {
  let instance: TestInstance;
  let victim: TestUser;
  let connection: Connection;
  let client: Client;
  beforeAll(async () => {
    instance = await startTestInstance();
    victim = await registerUser(instance.api.url);
    mkdirSync(join(instance.workspaces, victim.orgId, 'chat'), { recursive: true });
    writeFileSync(join(instance.workspaces, victim.orgId, 'chat', 'notes.md'), 'notes');
    connection = await Connection.connect({ address: instance.temporalAddress });
    client = new Client({ connection });
  });
  afterAll(async () => {
    await connection.close();
    await instance.close();
  });

  const hasFiles = () => existsSync(join(instance.workspaces, victim.orgId, 'chat', 'notes.md'));

  async function start(type: string, workflowId: string, input: object): Promise<unknown> {
    return client.workflow.execute(type, { workflowId, taskQueue: TASK_QUEUE, args: [input] });
  }

  test.each(casesOf(['removeOrgFiles', 'runTool', 'removeOrgRecords', 'callProvider'], 2))(
    'cannot have the activity %s run by itself',
    async (type) => {
      const { code, output } = await runTemporal(instance.temporalAddress, type, { orgId: victim.orgId });
      expect([code, hasFiles()]).toEqual([1, true]);
      expect(output).toMatch(/Standalone activity is disabled|not enabled|disabled/i);
    },
  );

  test('cannot have an organization purged that was not deleted', async () => {
    await start(PURGE_ORG, purgeOrgId(victim), { orgId: victim.orgId });
    expect(hasFiles()).toBe(true);
    expect((await victim.client.get('/api/orgs')).json).toHaveLength(1);
  });

  test('cannot have it purged by the workflow of another organization', async () => {
    const attempt = start(PURGE_ORG, purgeOrgId({ orgId: 'another' }), { orgId: victim.orgId });
    await expect(attempt).rejects.toMatchObject({ cause: { cause: { type: 'WrongCaller' } } });
    expect(hasFiles()).toBe(true);
  });

  test('cannot have the turns of a chat taken by the conversation of another', async () => {
    const chatId = await createChat(victim.client);
    const attempt = start(CONVERSATION, conversationId({ orgId: 'another', chatId }), { orgId: victim.orgId, chatId });
    await expect(attempt).rejects.toMatchObject({ cause: { cause: { type: 'WrongCaller' } } });
  });

  test('cannot have an account tried for somebody who is no member, or by the workflow of another', async () => {
    const accountId = await createProvider(victim.client, `http://127.0.0.1:${instance.model.port}/v1`);
    const { orgId } = victim;
    const { idOf } = SHORT_WORKFLOWS.probeProvider;
    const stranger = await registerUser(instance.api.url);
    const input = { orgId, accountId, userId: stranger.id };
    await expect(start('probeProvider', `${idOf(input).prefix}1`, input)).rejects.toMatchObject({
      cause: { cause: { type: 'AppError' } },
    });
    const foreign = { ...input, orgId: stranger.orgId, userId: stranger.id };
    await expect(start('probeProvider', `${idOf(foreign).prefix}2`, foreign)).rejects.toMatchObject({
      cause: { cause: { type: 'AppError' } },
    });
    await expect(start('probeProvider', `${idOf(foreign).prefix}3`, input)).rejects.toMatchObject({
      cause: { cause: { type: 'WrongCaller' } },
    });
    expect(instance.model.requests).toEqual([]);
  });
});

/** Asks for an activity without a workflow, as anybody on the machine can. */
async function runTemporal(address: string, type: string, input: object): Promise<{ code: number; output: string }> {
  const { temporalBinary } = sharedServices();
  const query = ['activity', 'execute', '--address', address, '--type', type, '--activity-id', type];
  const rest = ['--task-queue', TASK_QUEUE, '--start-to-close-timeout', '10s', '--input', JSON.stringify(input)];
  return new Promise((resolve) => {
    execFile(temporalBinary, [...query, ...rest], { timeout: LIMIT_MS }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}
