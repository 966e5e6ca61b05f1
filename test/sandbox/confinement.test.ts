import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { CRASH_MS, KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { countProcesses } from '../support/count-processes.ts';
import { inLength } from '../support/in-length.ts';
import { sharedPostgres } from '../support/shared-services.ts';
import { stayingProcesses } from '../support/staying-processes.ts';
import { createTestTools } from '../support/tool-context.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../support/test-sandbox.ts';
import { waitUntil } from '../support/wait-until.ts';

const MB = 1024 * 1024;
const SECRET = randomBytes(12).toString('hex');
/** How long links are swapped under the feet of file tools. */
const SWAPPING_MS = inLength(300, 2_000);

describeSandboxed('a command in the sandbox', () => {
  let box: TestSandbox;
  let beside: string;
  let server: Server;
  let connections = 0;

  beforeAll(async () => {
    process.env['EVERTURN_TEST_CANARY'] = SECRET;
    box = await openTestSandbox();
    beside = mkdtempSync(join(tmpdir(), 'everturn-beside-'));
    writeFileSync(join(beside, 'secret'), SECRET);
    server = createServer((socket) => {
      connections += 1;
      socket.end(SECRET);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    delete process.env['EVERTURN_TEST_CANARY'];
    server.close();
    rmSync(beside, { recursive: true });
    await box.close();
  });

  test('is confined, and the probe says so', () => {
    expect(box.states).toEqual([{ isAvailable: true }]);
  });

  test('finds no secret of the service: in no environment, argument, descriptor, file or socket', async () => {
    const { port } = server.address() as { port: number };
    const database = new URL((await sharedPostgres()).url);
    const attacks = [
      'env; cat /proc/*/environ /proc/*/cmdline',
      `cat ${beside}/secret /proc/1/root${beside}/secret /proc/*/cwd/../*/secret ../*/secret`,
      // Its own output is a pipe, of which a reader sees no end.
      'timeout 1 cat /proc/self/fd/* < /dev/null; ls -l /proc/*/fd/',
      `exec 7<>/dev/tcp/127.0.0.1/${port} && cat <&7`,
      `exec 7<>/dev/tcp/127.0.0.1/${database.port} && echo ${SECRET}`,
      'ls /tmp /var/run/postgresql /run /root /home /var /etc',
      'find / -xdev -name "*secret*" -exec cat {} + ',
      `perl -e 'use Socket; socket(S, 1, 1, 0); connect(S, pack_sockaddr_un("\\0everturn")) and print "connected"'`,
      // Each of them would show or change the machine.
      'cat /proc/kcore /proc/kallsyms | head -c 100; dmesg; mount -t tmpfs x /mnt && echo mounted',
      'ln -s / root && cat root/etc/shadow',
    ];
    const seen: string[] = [];
    for (const attack of attacks) {
      const { stdout, stderr } = await box.bash(attack);
      seen.push(stdout.toString(), stderr.toString());
    }
    expect(seen.join('\n')).not.toContain(SECRET);
    expect(seen.join('\n')).not.toMatch(/connected|mounted|root:[*!$]/);
    expect(connections).toBe(0);
    expect(readdirSync(box.folder)).toEqual(['root']);
    process.stdout.write(`sandbox: ${attacks.length} looks for secrets, 0 found\n`);
  });

  test('sees its own processes only, and ends none outside', async () => {
    const { stdout } = await box.bash('ls -d /proc/[0-9]* | wc -l; kill -9 -1; kill -9 $PPID; echo alive');
    expect(Number(stdout.toString().split('\n')[0])).toBeLessThanOrEqual(6);
    const { exitCode } = await box.bash(`kill -9 ${process.pid} ${process.ppid}`);
    expect(exitCode).not.toBe(0);
  });

  test('is refused what reaches the kernel or other processes in other ways', async () => {
    const attempts = {
      AF_VSOCK: 'socket(S, 40, 1, 0)',
      netlink: 'socket(S, 16, 3, 0)',
      'raw packets': 'socket(S, 17, 3, 0)',
      io_uring: 'syscall(425, 1, 0) >= 0',
      userfaultfd: 'syscall(323, 0) >= 0',
      keyrings: 'syscall(250, 0, -3, 1) >= 0',
      bpf: 'syscall(321, 0, 0, 0) >= 0',
      perf: 'syscall(298, 0, 0, -1, -1, 0) >= 0',
      namespaces: 'syscall(272, 0x10000000) >= 0',
      clone3: 'syscall(435, 0, 0) >= 0',
      ptrace: 'syscall(101, 0, 0, 0, 0) >= 0',
    };
    const lines = Object.entries(attempts).map(
      ([name, attempt]) => `print "${name}: ", (${attempt}) ? "allowed" : "refused: $!", "\\n";`,
    );
    const { stdout, exitCode } = await box.bash(`perl -e 'use Socket; ${lines.join(' ')}'`);
    expect([exitCode, stdout.toString().trim().split('\n')]).toEqual([
      0,
      Object.keys(attempts).map((name) =>
        expect.stringMatching(new RegExp(`^${name}: refused: (?!Bad address|Invalid)`)),
      ),
    ]);
  });

  test('opens its output and its input again by their names', async () => {
    const script = 'cat /dev/stdin > /dev/stdout; echo problem > /dev/stderr';
    const { stdout, stderr } = await box.bash(script, { stdin: 'given' });
    expect([stdout.toString(), stderr.toString()]).toEqual(['given', 'problem\n']);
  });

  test('writes to the workspace and to its temporary folder, and nowhere else', async () => {
    const script =
      'for path in / /usr /etc /proc/sys /dev /sys /home /run; do touch $path/mine 2> /dev/null && echo $path; done; touch /tmp/mine /work/mine && ls /work';
    expect((await box.bash(script)).stdout.toString()).toBe('mine\nroot\n');
    const other = await box.bash('ls /tmp; touch /work/more', { folder: { path: box.folder, access: 'read' } });
    expect([other.exitCode, other.stdout.toString()]).toEqual([1, '']);
    const { folder: _, ...rest } = box;
    expect((await rest.bash('ls /work', { folder: undefined })).exitCode).toBe(2);
  });

  test('leaves no program that becomes another user, whom the folder lets in', async () => {
    await box.bash('cp /bin/true escalate && chmod 6777 escalate');
    // The folder of all workspaces is closed to others; what runs it inside gains nothing.
    const { stdout } = await box.bash('grep NoNewPrivs /proc/self/status; ./escalate && id -u');
    expect(stdout.toString()).toMatch(/NoNewPrivs:\t1\n[1-9]\d*\n/);
    if (process.getuid?.() === 0) expect(statSync(join(box.folder, 'escalate')).uid).not.toBe(0);
  });

  test('that swaps folders for links leads no file of the service out of the workspace', async () => {
    const tools = await createTestTools({ sandbox: box.sandbox });
    const { workspace, runCommand } = tools.context;
    const options = { overwrite: true, createFolders: true, isForeign: false };
    await workspace.write(['kept', 'file'], Buffer.from('own'), options);
    const swap = `ln -s ${beside} link; while :; do mv -T kept real; mv -T link kept; mv -T kept link; mv -T real kept; done`;
    const swapping = runCommand({ command: ['/bin/bash', '-c', swap], workspace: 'write', timeoutMs: SWAPPING_MS });
    const state = { isOver: false, tries: 0 };
    void swapping.finally(() => (state.isOver = true));
    const seen: string[] = [];
    while (!state.isOver) {
      state.tries += 1;
      await workspace.write(['kept', 'file'], Buffer.from('own'), options).catch(() => undefined);
      await workspace.write(['kept', 'secret'], Buffer.from('overwritten'), options).catch(() => undefined);
      for (const name of ['file', 'secret'])
        seen.push(await workspace.read(['kept', name], 100).then(String, () => ''));
    }
    expect((await swapping).killedFor).toBe('time');
    expect(seen.join(' ')).not.toContain(SECRET);
    expect(readdirSync(beside)).toEqual(['secret']);
    expect(readFileSync(join(beside, 'secret'), 'utf8')).toBe(SECRET);
    await tools.close();
    process.stdout.write(`sandbox: ${state.tries} rounds of file tools under swapped links, 0 escapes\n`);
  });

  test('reaches the outside by the gateway only, and nothing where the operator gives no network', async () => {
    const { port } = server.address() as { port: number };
    const asked: string[] = [];
    const online = await openTestSandbox({
      connect: async (host) => {
        asked.push(host);
        throw new Error('closed');
      },
    });
    const here = `127.0.0.1:${port}`;
    const script = `curl -s http://${here} https://${here} http://elsewhere.example; curl -s --noproxy '*' http://${here}; exec 7<>/dev/tcp/127.0.0.1/${port}`;
    try {
      await online.bash(script, { network: true });
      expect(asked).toEqual(['elsewhere.example']);
      expect(connections).toBe(0);
    } finally {
      await online.close();
    }
    await expect(box.bash('true', { network: true })).rejects.toThrow('the operator gives commands no network');
  });

  test.each([
    ['output', 'yes'],
    ['memory', `python3 -c "x = bytearray(2000 * 1024 * 1024)"`],
    ['space', 'head -c 90M /dev/zero > zero; sleep 100'],
    ['time', 'trap "" TERM INT HUP; setsid sleep 100 & sleep 100'],
  ])('is ended for the %s that it takes', async (killedFor, script) => {
    const charged = jest.spyOn(KeyedSemaphore.prototype, 'charge');
    const timeoutMs = killedFor === 'time' ? 500 : 90_000;
    const ending = await box.bash(script, { timeoutMs, space: { bytes: 50 * MB, names: 10_000 } });
    await box.bash('rm -f zero');
    expect(ending.killedFor).toBe(killedFor);
    expect(charged.mock.calls.map(([, ms]) => ms)).toEqual(killedFor === 'memory' ? [CRASH_MS] : []);
    charged.mockRestore();
  });

  test('has so many processes and no more', async () => {
    const forkUntilRefused = [
      'import os, time',
      'count = 1',
      'try:',
      '    while os.fork() != 0: count += 1',
      '    time.sleep(100)',
      'except BlockingIOError: print(count, flush=True)',
    ].join('\n');
    const { stdout } = await box.bash(`python3 -c '${forkUntilRefused}'`);
    const most = Number(stdout.toString());
    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThanOrEqual(64);
  });

  test('is gone with all its processes when the call is interrupted', async () => {
    const [mark, stop] = [`mark-${Math.random()}`, new AbortController()];
    const running = box.bash(stayingProcesses(mark), { signal: stop.signal });
    await waitUntil('its processes', () => countProcesses(mark) >= 4 || undefined);
    stop.abort(new Error('interrupted'));
    await expect(running).rejects.toThrow('interrupted');
    await waitUntil('their end', () => countProcesses(mark) === 0 || undefined);
  });

  test('of one organization sees nothing of another that runs at the same time', async () => {
    const other = await openTestSandbox();
    try {
      const script = (name: string) =>
        `touch /work/${name} /tmp/${name} /dev/shm/${name}; sleep 0.3; ls /work /tmp /dev/shm; ps -e -o args 2> /dev/null; cat /proc/[0-9]*/cmdline | tr '\\0' ' '`;
      const [one, two] = await Promise.all([box.bash(script('first')), other.bash(script('second'))]);
      expect(one.stdout.toString()).not.toContain('second');
      expect(two.stdout.toString()).not.toContain('first');
    } finally {
      await other.close();
    }
  });
});
