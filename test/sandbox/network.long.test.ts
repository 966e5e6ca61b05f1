import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createGuardedFetch } from '../../activities/core/network/guarded-fetch.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../support/test-sandbox.ts';

const OPEN = '127.0.0.2';
/** What leads to this machine, to its network, or to where clouds keep their secrets. */
const CLOSED = [
  '127.0.0.1',
  'localhost',
  '[::1]',
  '0.0.0.0',
  '127.1',
  '2130706433',
  '0x7f000001',
  '017700000001',
  '[::ffff:127.0.0.1]',
  '[::]',
  '10.0.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '[fd00::1]',
  '[fe80::1]',
  'sub.localhost',
  'rebound.example.com',
];

/** Answers as the look-up of a name that leads here, whatever it led to before. */
const rebinding = ((_name: string, _options: object, callback: (error: null, addresses: object[]) => void) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }])) as never;

describeSandboxed('a command with the network', () => {
  let box: TestSandbox;
  let guarded: ReturnType<typeof createGuardedFetch>;
  const seen: string[] = [];
  let sinks: { close(): unknown }[];
  beforeAll(async () => {
    const answer: Server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      const to = new URL(request.url ?? '', `http://${OPEN}/`).searchParams.get('to');
      if (to !== null) response.setHeader('location', to);
      request.resume().on('end', () => response.writeHead(to === null ? 200 : 302).end(to === null ? 'answered' : ''));
    });
    const sink = createTcpServer((socket) => {
      seen.push('contact');
      socket.destroy();
    });
    answer.listen(80, OPEN);
    sink.listen(80, '127.0.0.1');
    await Promise.all([once(answer, 'listening'), once(sink, 'listening')]);
    sinks = [answer, sink];
    guarded = createGuardedFetch(parsePrivateHosts(`${OPEN}:80`), { lookup: rebinding });
    box = await openTestSandbox({ connect: guarded.connect, limits: { memory: 1e9, processes: 96, temporary: 1e7 } });
  });
  afterAll(async () => {
    await box.close();
    await guarded.close();
    for (const sink of sinks) sink.close();
  });
  beforeEach(() => {
    seen.length = 0;
  });
  const online = async (command: string) => box.bash(command, { network: true });

  test.each([
    ['curl', `curl -sS http://${OPEN}/a?b=c`],
    ['curl with a body', `curl -sS -d hello http://${OPEN}/a?b=c`],
    ['Python', `python3 -c "import urllib.request as u; print(u.urlopen('http://${OPEN}/a?b=c').read().decode())"`],
    ['Node', `/run/node -e "fetch('http://${OPEN}/a?b=c').then((r) => r.text()).then(console.log)"`],
  ])('reaches what may be reached: %s', async (_, command) => {
    const { stdout, stderr, exitCode } = await online(command);
    expect([exitCode, stdout.toString().trim(), stderr.toString()]).toEqual([0, 'answered', '']);
    expect(seen).toEqual([expect.stringMatching(/^(GET|POST) \/a\?b=c$/)]);
  });

  test('reaches nothing of this machine and its network, by whatever name and program', async () => {
    const urls = CLOSED.flatMap((host) => [`http://${host}/`, `http://${host}:80/`, `https://${host}/`]);
    const redirects = CLOSED.map((host) => `http://${OPEN}/?to=${encodeURIComponent(`http://${host}/`)}`);
    const all = [...urls, ...redirects];
    const quoted = all.map((url) => `'${url}'`).join(' ');
    const attacks = [
      `curl -sSL --max-time 5 ${quoted}`,
      `curl -sS --max-time 5 --noproxy '*' ${quoted}`,
      `curl -sS --max-time 5 -p ${quoted}`,
      `curl -sS --max-time 5 -p http://${OPEN}:5432/ http://${OPEN}:22/ http://${OPEN}:80@127.0.0.1/`,
      `python3 - ${quoted} <<'END'
import sys, urllib.request
for url in sys.argv[1:]:
    try: print(urllib.request.urlopen(url, timeout=5).read())
    except Exception as error: pass
END`,
      `/run/node -e 'Promise.all(process.argv.slice(1).map((url) => fetch(url).then((r) => r.text()).then(console.log, () => 0)))' ${quoted}`,
      ...['http://127.0.0.1/x.git', 'http://localhost/x.git'].map((url) => `git ls-remote ${url}`),
      `git -c protocol.ext.allow=always ls-remote 'ext::curl http://127.0.0.1/'`,
      `printf 'GET http://127.0.0.1/ HTTP/1.1\\r\\nhost: ${OPEN}\\r\\n\\r\\n' | timeout 2 bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; cat >&3; cat <&3'`,
      `printf 'CONNECT 127.0.0.1:80 HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.0\\r\\n\\r\\n' | timeout 2 bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; cat >&3; cat <&3'`,
    ];
    const outputs: string[] = [];
    for (const attack of attacks) outputs.push((await online(attack)).stdout.toString());
    expect(seen.filter((each) => each === 'contact')).toEqual([]);
    expect(outputs.join('')).not.toContain('answered');
    process.stdout.write(`sandbox: ${attacks.length} programs, ${all.length} addresses, 0 contacts\n`);
  });

  test('leaves no socket', async () => {
    expect((await online('exit 7')).exitCode).toBe(7);
    const open = readdirSync('/proc/self/fd').length;
    await Promise.all(Array.from({ length: 4 }, async () => online('true')));
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(open + 1);
  });
});
