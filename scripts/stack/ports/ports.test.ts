import { createServer } from 'node:net';

import { describe, expect, test } from '@jest/globals';

import { StartFailure } from '../core/start-failure.ts';
import { portMessage, requirePort } from './ports.ts';

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
