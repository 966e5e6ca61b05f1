import { once } from 'node:events';
import type { lookup as dnsLookup } from 'node:dns';
import { text } from 'node:stream/consumers';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parsePrivateHosts } from '../../../domain/network/addresses.ts';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { AddressGuard, type BlockedName, createGuardedConnect } from './guarded-connect.ts';

type LookupCallback = (error: Error | null, addresses: { address: string; family: number }[]) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  // Clients that refuse to talk reset the connection.
  server.on('connection', (socket: Socket) => socket.on('error', () => undefined));
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const greeting = async () => listen(createServer((socket) => socket.end('hello')));

describe('a guarded connection', () => {
  test('reaches an address that the operator allows', async () => {
    const port = await greeting();
    const { connect } = createGuardedConnect(new AddressGuard(parsePrivateHosts(`127.0.0.1:${port}`)));
    const socket = await connect('127.0.0.1', port);
    expect(await text(socket)).toBe('hello');
  });

  test.each([
    '127.0.0.1',
    'localhost',
    '0x7f.1',
    '2130706433',
    '10.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '169.254.169.254',
  ])('is not made to %s when nobody allows that', async (host) => {
    const port = await greeting();
    const { connect, lookupFor } = createGuardedConnect(new AddressGuard(parsePrivateHosts('')));
    await expect(connect(host, port)).rejects.toThrow('leads to a private address');
    expect(() => lookupFor(host, port)).toThrow('leads to a private address');
  });

  test.each([['127.0.0.1:1'], ['localhost:*']])('is not made to another port or name than %s', async (allowed) => {
    const port = await greeting();
    const { connect } = createGuardedConnect(new AddressGuard(parsePrivateHosts(allowed)));
    await expect(connect('127.0.0.1', port)).rejects.toThrow('leads to a private address');
  });

  test.each(['127.0.0.1:1/', 'me@127.0.0.1', '127.0.0.1/x', '127.0.0.1?x', '127.0.0.1#x'])(
    'is not made to %s, which is more than a host: another port would be judged',
    async (host) => {
      const port = await greeting();
      const { connect } = createGuardedConnect(new AddressGuard(parsePrivateHosts('127.0.0.1:1')));
      await expect(connect(host, port)).rejects.toThrow('is no host and port');
    },
  );

  test('goes to the address that was looked up and checked, and to no name that leads inside', async () => {
    const port = await greeting();
    const blocked: BlockedName[] = [];
    const lookup = ((_name: string, _options: unknown, callback: LookupCallback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }])) as unknown as typeof dnsLookup;
    const closed = new AddressGuard(parsePrivateHosts(''), { lookup, onBlocked: (name) => blocked.push(name) });
    await expect(createGuardedConnect(closed).connect('db.example', port)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(blocked).toEqual([{ hostname: 'db.example', addresses: ['127.0.0.1'] }]);
    const open = new AddressGuard(parsePrivateHosts(`db.example:${port}`), { lookup });
    const socket = await createGuardedConnect(open).connect('db.example', port);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  test('ends with its signal', async () => {
    const { connect } = createGuardedConnect(new AddressGuard(parsePrivateHosts('127.0.0.1:*')));
    await expect(connect('127.0.0.1', 1, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    const silent = await listen(createServer(() => undefined));
    const controller = new AbortController();
    const handshake = connect('127.0.0.1', silent, { tls: {}, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(handshake).rejects.toThrow('enough');
  });
});

describe('an encrypted connection', () => {
  test.each([
    ['IP:127.0.0.1', '127.0.0.1'],
    ['DNS:localhost', 'localhost'],
  ])('is made when the certificate is for %s and its authority is trusted', async (names, host) => {
    const certificate = await makeCertificate(names);
    const port = await listen(createSecureServer(certificate, (socket) => socket.end('hello')));
    const { connect } = createGuardedConnect(new AddressGuard(parsePrivateHosts(`${host}:${port}`)));
    await expect(connect(host, port, { tls: {} })).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const socket = await connect(host, port, { tls: { ca: certificate.cert } });
    expect(await text(socket)).toBe('hello');
  });

  test.each([
    ['DNS:localhost', '127.0.0.1'],
    ['IP:127.0.0.1', 'localhost'],
    ['DNS:db.example', 'localhost'],
  ])('is not made when the certificate is for %s and the host %s', async (names, host) => {
    const certificate = await makeCertificate(names);
    const port = await listen(createSecureServer(certificate));
    const { connect } = createGuardedConnect(new AddressGuard(parsePrivateHosts(`${host}:${port}`)));
    const failure = connect(host, port, { tls: { ca: certificate.cert } });
    await expect(failure).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });
});
