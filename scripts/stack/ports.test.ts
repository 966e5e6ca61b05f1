import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { freePort } from '../../test/support/free-port.ts';
import { StartFailure } from './core/start-failure.ts';
import { readStartSettings, type Settings } from './env.ts';
import { choosePorts, portMessage, type Ports, requirePort } from './ports.ts';

describe('choose ports', () => {
  let run: string;
  let said: string[];
  let usual: Ports;
  const servers: Server[] = [];
  beforeEach(async () => {
    usual = { PORT: await freePort(), POSTGRES_PORT: await freePort(), TEMPORAL_PORT: await freePort() };
    run = mkdtempSync(join(tmpdir(), 'everturn-'));
    said = [];
  });
  afterEach(() => {
    rmSync(run, { recursive: true });
    for (const server of servers.splice(0)) server.close();
  });

  function settingsOf(env: Record<string, string>): Settings {
    const read = readStartSettings(env);
    if ('issues' in read) throw new Error(read.issues.join());
    return read.settings;
  }

  async function choose(env: Record<string, string> = {}): Promise<Ports> {
    return choosePorts(settingsOf(env), { home: { run }, say: (line) => said.push(line) }, usual);
  }

  async function take(port: number): Promise<Server> {
    const server = createServer().listen(port, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return server;
  }

  describe('the ports of a start', () => {
    test('are the usual ones while they are free', async () => {
      expect(await choose()).toEqual(usual);
      expect(said).toEqual([]);
    });

    test('are others beside an installation that runs, which are said, and are the same at the next start', async () => {
      for (const port of Object.values(usual)) await take(port);
      const first = await choose();
      expect(Object.values(usual)).not.toEqual(expect.arrayContaining(Object.values(first)));
      expect(said[0]).toMatch(new RegExp(`^Port ${usual.PORT} is taken by .*: the api uses ${first.PORT}\\.$`));
      expect(said).toHaveLength(3);
      expect(await choose()).toEqual(first);
      await take(first.PORT);
      expect((await choose()).PORT).not.toBe(first.PORT);
    });

    test('are the usual ones again once these are free', async () => {
      const server = await take(usual.PORT);
      expect((await choose()).PORT).not.toBe(usual.PORT);
      server.close();
      await once(server, 'close');
      expect(await choose()).toEqual(usual);
    });

    test('differ from one that is set', async () => {
      const { PORT, POSTGRES_PORT } = await choose({ PORT: String(usual.POSTGRES_PORT) });
      expect(PORT).toBe(usual.POSTGRES_PORT);
      expect(POSTGRES_PORT).not.toBe(PORT);
    });

    test('are refused when they are set and taken', async () => {
      await take(usual.PORT);
      await expect(choose({ PORT: String(usual.PORT) })).rejects.toThrow(StartFailure);
    });

    test('are not sought at an address that is not of this machine', async () => {
      await expect(choose({ HOST: '192.0.2.1' })).rejects.toThrow('192.0.2.1 is no address of this machine');
    });
  });
});

describe('ports', () => {
  const wanted = { port: 3000, host: '127.0.0.1', part: 'the api', variable: 'PORT' };

  describe('a port', () => {
    test('is named with its holder and the variable that chooses another when it is taken', () => {
      expect(portMessage(wanted, 'EADDRINUSE', 'nginx (process 42)')).toBe(
        'Port 3000, wanted for the api, is taken by nginx (process 42): set PORT to another port.',
      );
    });

    test('is named without a holder when nobody may know who has it', () => {
      expect(portMessage(wanted, 'EADDRINUSE')).toBe(
        'Port 3000, wanted for the api, is taken: set PORT to another port.',
      );
    });

    test('points to HOST when the address is not of this machine', () => {
      expect(portMessage({ ...wanted, host: '10.9.8.7' }, 'EADDRNOTAVAIL')).toBe(
        '10.9.8.7 is no address of this machine: set HOST to another.',
      );
    });

    test('is refused while another process listens on it and granted when it no longer does', async () => {
      const server = createServer();
      const port = await new Promise<number>((resolve, reject) => {
        server.listen(0, '127.0.0.1', () => {
          const address = server.address();
          if (address === null || typeof address === 'string') return reject(new Error('no port'));
          resolve(address.port);
        });
      });
      await expect(requirePort({ ...wanted, port })).rejects.toThrow(StartFailure);
      await new Promise((resolve) => server.close(resolve));
      await expect(requirePort({ ...wanted, port })).resolves.toBeUndefined();
    });
  });
});
