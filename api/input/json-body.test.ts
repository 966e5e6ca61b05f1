import { type AddressInfo, connect } from 'node:net';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import express, { type Request, type Response } from 'express';
import { BodyLimit } from '../limits/body-limit.ts';
import { readJsonBody } from './read-input.ts';
import { problemOf } from '../http/problem.ts';

const limit = new BodyLimit({ maxBytes: 4 * 1024 * 1024, maxBytesOfOne: 2 * 1024 * 1024 });
let server: Server;

beforeAll(async () => {
  const app = express();
  app.post('/late', () => undefined);
  app.post('/', (received: Request, response: Response) => {
    readJsonBody(received, response, { limit, sender: 'someone' }).then(
      (body) => response.json({ body }),
      (error: unknown) => response.status(problemOf(error)?.status ?? 500).json(problemOf(error)?.detail),
    );
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function send(body: string): Promise<{ status: number; answer: unknown }> {
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json' };
  const response = await request(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  return { status: response.statusCode, answer: await response.body.json() };
}

const fault = (msg: string) => ({
  status: 422,
  answer: [{ type: 'json_invalid', loc: ['body'], msg: expect.stringContaining(msg) }],
});

describe('readJsonBody', () => {
  test.each(['{"a":[1,"b",null]}', '7', 'null', '"text"', `${'['.repeat(32)}${']'.repeat(32)}`])(
    'reads %s',
    async (text) => {
      expect(await send(text)).toEqual({ status: 200, answer: { body: JSON.parse(text) as unknown } });
    },
  );

  test.each([
    ['what is no JSON, without repeating it', '{"password": secret}', 'the body is not valid JSON'],
    ['more than 32 levels', `${'['.repeat(33)}${']'.repeat(33)}`, '32 levels'],
    ['a megabyte of levels', '['.repeat(1_000_000), '32 levels'],
    ['a megabyte of values', `[${'[],'.repeat(300_000)}[]]`, '50000 values'],
    ['the key __proto__', '{"a":{"__proto__":{}}}', '__proto__'],
  ])('refuses %s', async (_what, text, msg) => {
    const refused = await send(text);
    expect(refused).toEqual(fault(msg));
    expect(JSON.stringify(refused)).not.toContain('secret');
  });

  test('says that a body did not arrive, when its sender has hung up', async () => {
    const { port } = server.address() as AddressInfo;
    const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /late HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
    const [received] = await arrived;
    received.on('error', () => undefined);
    socket.destroy();
    await new Promise<void>((resolve) => received.once('close', resolve));
    await expect(readJsonBody(received as Request, {} as Response, { limit, sender: 'someone' })).rejects.toMatchObject(
      {
        issues: [{ msg: 'the body is missing' }],
      },
    );
  });
});
