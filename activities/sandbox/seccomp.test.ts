import { expect, test } from '@jest/globals';
import { CLONE, CLONE3, IOCTL, REFUSED, seccompFilter, SOCKET, SOCKETPAIR, UNSHARE } from './seccomp.ts';

const ALLOW = 0x7fff_0000;
const refusal = (error: number) => 0x0005_0000 | error;
const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** Answers a system call as the kernel does: runs the program. */
function ask(
  machine: 'x64' | 'arm64',
  call: { number: number; args?: readonly number[]; audit?: number },
  purpose?: 'confiner',
): number {
  const program = seccompFilter(machine, purpose);
  if (program === undefined) throw new Error('no program');
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.audit ?? AUDIT[machine], 4);
  for (const [at, value] of (call.args ?? []).entries()) data.writeUInt32LE(value, 16 + 8 * at);
  let loaded = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else at += program.readUInt8(at * 8 + (matches(code, loaded, value) ? 2 : 3));
  }
  throw new Error('the program has no end');
}

function matches(code: number, loaded: number, value: number): boolean {
  if (code === 0x15) return loaded === value;
  if (code === 0x35) return loaded >= value;
  if (code === 0x45) return (loaded & value) !== 0;
  throw new Error(`unknown instruction ${code}`);
}

test.each(['x64', 'arm64'] as const)('refuses what no command needs on %s, and allows the rest', (machine) => {
  const column = machine === 'x64' ? 0 : 1;
  const numberOf = (call: readonly (number | null)[]) => call[column] ?? -1;
  const refused = Object.values(REFUSED).map(numberOf);
  for (const number of refused.filter((each) => each >= 0)) expect(ask(machine, { number })).toBe(refusal(1));
  const special = [SOCKET, SOCKETPAIR, CLONE, CLONE3, IOCTL].map(numberOf);
  const others = Array.from({ length: 470 }, (_, number) => number).filter(
    (number) => !refused.includes(number) && !special.includes(number),
  );
  for (const number of others) expect(ask(machine, { number })).toBe(ALLOW);
  expect(ask(machine, { number: numberOf(CLONE3) })).toBe(refusal(38));
  // A thread, a process, and a process with a user namespace.
  expect(ask(machine, { number: numberOf(CLONE), args: [0x3d_0f00] })).toBe(ALLOW);
  expect(ask(machine, { number: numberOf(CLONE), args: [0x11] })).toBe(ALLOW);
  expect(ask(machine, { number: numberOf(CLONE), args: [0x1000_0011] })).toBe(refusal(1));
  // TIOCSTI, TIOCLINUX and TCGETS.
  const requests = [0x5412, 0x541c, 0x5401].map((request) =>
    ask(machine, { number: numberOf(IOCTL), args: [0, request] }),
  );
  expect(requests).toEqual([refusal(1), refusal(1), ALLOW]);
});

test.each(['x64', 'arm64'] as const)(
  'a program may confine parts of itself on %s, and nothing beyond that',
  (machine) => {
    const column = machine === 'x64' ? 0 : 1;
    const numberOf = (call: readonly (number | null)[]) => call[column] ?? -1;
    const answer = (number: number, bits = 0) => ask(machine, { number, args: [bits] }, 'confiner');
    for (const [name, call] of Object.entries(REFUSED).filter(([, call]) => numberOf(call) >= 0))
      expect([name, answer(numberOf(call))]).toEqual([name, ['chroot', 'unshare'].includes(name) ? ALLOW : refusal(1)]);
    for (const call of [CLONE, UNSHARE].map(numberOf)) {
      // Namespaces of users, processes and the network; then of mounts, names, messages and control groups.
      for (const bits of [0x1000_0000, 0x2000_0000, 0x4000_0000, 0x7000_0000]) expect(answer(call, bits)).toBe(ALLOW);
      for (const bits of [0x2_0000, 0x400_0000, 0x800_0000, 0x200_0000, 0x1002_0000])
        expect(answer(call, bits)).toBe(refusal(1));
    }
    // The namespace of time.
    expect(answer(numberOf(UNSHARE), 0x80)).toBe(refusal(1));
  },
);

test.each([SOCKET, SOCKETPAIR])('sockets are those of this machine and of the internet', (number) => {
  const answers = Array.from({ length: 46 }, (_, family) => ask('x64', { number: number ?? -1, args: [family] }));
  expect(answers.flatMap((answer, family) => (answer === ALLOW ? [family] : []))).toEqual([1, 2, 10]);
  expect(answers[40]).toBe(refusal(97));
});

test('a system call of another machine ends the process, and those of x32 do not exist', () => {
  expect(ask('x64', { number: 0, audit: 0x4000_0003 })).toBe(0x8000_0000);
  expect(ask('x64', { number: 0x4000_0000 + 41 })).toBe(refusal(38));
});

test('there is no program for a machine whose numbers are not known', () => {
  expect(seccompFilter('riscv64')).toBeUndefined();
});
