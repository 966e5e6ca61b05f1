import {
  CLONE,
  CLONE3,
  IOCTL,
  LEFT_TO_CONFINERS,
  REFUSED,
  SOCKET,
  SOCKETPAIR,
  type SystemCallNumbers,
  UNSHARE,
} from './system-calls.ts';

// Classic BPF, as the kernel reads it (linux/filter.h, linux/seccomp.h): 16 bits of code, two jumps of 8 bits, and a
// value of 32 bits. All numbers are little-endian on both machines.
const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const NUMBER_AT = 0;
const MACHINE_AT = 4;
const ARGUMENTS_AT = 16;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const REFUSE = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** From here on x86_64 has a second set of system calls, which programs do not use. */
const X32 = 0x4000_0000;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
/** The bits of `clone` that make namespaces, and those that programs use to confine parts of themselves. */
const NEW_NAMESPACES = 0x7e02_0000;
const NEW_USER_PROCESSES_NETWORK = 0x7000_0000;
/** A bit of `unshare` alone. */
const NEW_TIME = 0x80;
/** Requests that type into a terminal. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

const MACHINES = {
  x64: { column: 0, audit: 0xc000_003e },
  arm64: { column: 1, audit: 0xc000_00b7 },
} as const;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (at: number): Instruction => [LOAD_WORD, 0, 0, at];
const answer = (value: number): Instruction => [RETURN, 0, 0, value];
const argument = (index: number): Instruction => load(ARGUMENTS_AT + 8 * index);

/**
 * Returns the seccomp program of the sandbox, or undefined for a machine whose system calls are not known here. It
 * allows what is not refused, because commands are programs of every kind. With `confiner` a program may also confine
 * parts of itself: by `chroot`, and in namespaces of users, processes and the network.
 */
export function seccompFilter(architecture: string, purpose?: 'confiner'): Buffer | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  const { column, audit } = MACHINES[architecture];
  const isConfiner = purpose === 'confiner';
  const refused = Object.entries(REFUSED).filter(([name]) => !(isConfiner && LEFT_TO_CONFINERS.has(name)));
  const newNamespaces = isConfiner ? NEW_NAMESPACES & ~NEW_USER_PROCESSES_NETWORK : NEW_NAMESPACES;
  return assemble([
    load(MACHINE_AT),
    [JUMP_IF_EQUAL, 1, 0, audit],
    answer(KILL_PROCESS),
    load(NUMBER_AT),
    [JUMP_IF_AT_LEAST, 0, 1, X32],
    answer(REFUSE | ENOSYS),
    ...refused.flatMap(([, call]) => whenCalled(call[column], [answer(REFUSE | EPERM)])),
    // Its flags lie in memory, which a filter cannot read. Callers fall back to `clone`.
    ...whenCalled(CLONE3[column], [answer(REFUSE | ENOSYS)]),
    ...whenCalled(CLONE[column], [argument(0), [JUMP_IF_ANY_BIT, 0, 1, newNamespaces], ...refusedElseAllowed(EPERM)]),
    ...whenCalled(UNSHARE[column], [
      argument(0),
      [JUMP_IF_ANY_BIT, 0, 1, newNamespaces | NEW_TIME],
      ...refusedElseAllowed(EPERM),
    ]),
    ...whenCalled(IOCTL[column], [
      argument(1),
      [JUMP_IF_EQUAL, 1, 0, TIOCSTI],
      [JUMP_IF_EQUAL, 0, 1, TIOCLINUX],
      ...refusedElseAllowed(EPERM),
    ]),
    // Some families, such as AF_VSOCK, are not confined by a network namespace.
    ...[SOCKET, SOCKETPAIR].flatMap((call: SystemCallNumbers) =>
      whenCalled(call[column], [
        argument(0),
        [JUMP_IF_EQUAL, 3, 0, AF_UNIX],
        [JUMP_IF_EQUAL, 2, 0, AF_INET],
        [JUMP_IF_EQUAL, 1, 0, AF_INET6],
        ...refusedElseAllowed(EAFNOSUPPORT),
      ]),
    ),
    answer(ALLOW),
  ]);
}

function refusedElseAllowed(error: number): Instruction[] {
  return [answer(REFUSE | error), answer(ALLOW)];
}

// The number of the call is loaded; a rule that does not apply is jumped over.
function whenCalled(number: number | null, rule: readonly Instruction[]): Instruction[] {
  return number === null ? [] : [[JUMP_IF_EQUAL, 0, rule.length, number], ...rule];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4);
  }
  return bytes;
}
