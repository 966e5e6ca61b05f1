// Runs inside the sandbox as a text, with nothing but Node: it imports no other file of the service. It makes the home
// folder of a program, starts it, passes on what it writes, and reports which of its files have changed.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { createInterface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import type { GivenCli, GivenLine, HomeFiles, DriverMessage } from './given-cli.ts';

const HOME = '/tmp/home';
/** Where the program is started: it reads the files of this folder and below, and there are none. */
const EMPTY = '/tmp/empty';
const MAX_FILE_BYTES = 65_536;
const POLL_MS = 200;
const CALL_MS = 60_000;
const DRAIN_MS = 500;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const given = JSON.parse((await lines.next()).value ?? '') as GivenCli;
const known = new Map(Object.entries(given.files));
let isAtLineStart = true;
let hasEnded = false;

mkdirSync(EMPTY, { recursive: true, mode: 0o700 });
mkdirSync(HOME, { recursive: true, mode: 0o700 });
for (const [name, content] of known) {
  mkdirSync(dirname(join(HOME, name)), { recursive: true, mode: 0o700 });
  writeFileSync(join(HOME, name), Buffer.from(content, 'base64'), { mode: 0o600 });
}

const [program = '', ...args] = given.command;
const child = spawn(program, args, {
  cwd: EMPTY,
  env: { ...env, HOME, ...given.environment },
  stdio: ['pipe', 'pipe', given.isInteractive ? 'pipe' : 'inherit'],
});
child.stdin?.on('error', () => undefined);
if (given.input !== undefined) child.stdin?.end(given.input);
for (const stream of [child.stdout, child.stderr]) if (stream !== null) passOn(stream);
const timer = setInterval(sendFiles, POLL_MS);
child.on('error', () => end(127));
child.on('close', (code) => end(code));
// A process that it has started may keep its output open.
child.on('exit', (code) => setTimeout(() => end(code), DRAIN_MS));
void takeLines();

function passOn(stream: Readable): void {
  const decoder = new StringDecoder('utf8');
  stream.on('data', (chunk: Buffer) => {
    if (given.isInteractive) return send({ said: decoder.write(chunk) });
    isAtLineStart = chunk.at(-1) === 0x0a;
    if (process.stdout.write(chunk)) return;
    stream.pause();
    process.stdout.once('drain', () => stream.resume());
  });
}

async function takeLines(): Promise<void> {
  for await (const line of lines) {
    const wanted = JSON.parse(line) as GivenLine;
    if ('write' in wanted) child.stdin?.write(wanted.write);
    else call(wanted.get);
  }
}

function call(address: string): void {
  get(address, { timeout: CALL_MS, agent: false }, (response) => {
    response.resume();
    send({ got: response.statusCode ?? 0 });
  }).on('error', () => send({ got: 0 }));
}

function send(what: DriverMessage): void {
  process.stdout.write(`${given.marker}${JSON.stringify(what)}\n`);
}

// Not in the middle of a line of the program.
function sendFiles(): void {
  if (!isAtLineStart) return;
  const changed = given.watched.flatMap((name) => {
    const content = contentOf(name);
    return content === undefined || content === known.get(name) ? [] : [[name, content] as const];
  });
  if (changed.length === 0) return;
  for (const [name, content] of changed) known.set(name, content);
  send({ files: Object.fromEntries(changed) as HomeFiles });
}

/** Returns a file that is there and whole: the program may be writing it at this moment. */
function contentOf(name: string): string | undefined {
  try {
    const path = join(HOME, name);
    if (statSync(path).size > MAX_FILE_BYTES) return undefined;
    const bytes = readFileSync(path);
    JSON.parse(bytes.toString());
    return bytes.toString('base64');
  } catch {
    return undefined;
  }
}

function end(code: number | null): void {
  if (hasEnded) return;
  hasEnded = true;
  clearInterval(timer);
  if (!isAtLineStart) process.stdout.write('\n');
  isAtLineStart = true;
  sendFiles();
  process.stdout.write(`${given.marker}${JSON.stringify({ ended: code })}\n`, () => process.exit(0));
}
