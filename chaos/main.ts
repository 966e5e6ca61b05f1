import { enterMachines, isInside } from './machines/enter-machines.ts';
import { readOptions } from './options.ts';
import { runChaos } from './run-chaos.ts';
import { Undo } from '../test/support/undo.ts';

// `npm run chaos [-- --turns 2000 --tasks 200 --issues 1000 --faults 200 --seed 7 --lost-store --kinds <names>]`: users
// talk to an installation of its own while its parts are killed, paused and cut off; then what is stored, what reached
// the outside and what the users saw is held against the promises. Ends with 1 when a promise was broken. Ctrl-C stops
// everything and removes its data.

const stopping = new AbortController();
const stopped = new Promise<never>((_resolve, reject) => {
  stopping.signal.addEventListener('abort', () => reject(new Error('Stopped.')));
});
stopped.catch(() => undefined);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
process.on('disconnect', () => stopping.abort());

const undo = new Undo();
const print = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  const options = readOptions(process.argv.slice(2));
  const { signal } = stopping;
  const running =
    options.workerMachines !== undefined && !isInside()
      ? enterMachines(signal, print).then((code) => code === 0)
      : runChaos(options, { undo, signal, print });
  // Once stopped, what fails because of that is of no interest.
  running.catch(() => undefined);
  const isKept = await Promise.race([running, stopped]);
  if (!isKept) process.exitCode = 1;
} catch (error) {
  const isExpected = stopping.signal.aborted || !(error instanceof Error);
  process.stderr.write(`${isExpected ? String(error) : (error.stack ?? error.message)}\n`);
  process.exitCode = 1;
}
await undo.all();
process.exit();
