import { readOptions } from './options.ts';
import { runBench } from './run-bench.ts';
import { Undo } from '../test/support/undo.ts';

// `npm run bench [-- --quick] [-- --only <sections>] [-- --cpu-profile <folder>]`: what the platform itself costs, on
// an instance of its own, with a model that costs next to nothing. Ctrl-C stops everything and removes its data.

const stopping = new AbortController();
const stopped = new Promise<never>((_resolve, reject) => {
  stopping.signal.addEventListener('abort', () => reject(new Error('Stopped.')));
});
stopped.catch(() => undefined);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
process.on('disconnect', () => stopping.abort());

const undo = new Undo();
try {
  const running = runBench(readOptions(process.argv.slice(2)), undo, stopping.signal);
  // Once stopped, what fails because of that is of no interest.
  running.catch(() => undefined);
  await Promise.race([running, stopped]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
await undo.all();
process.exit();
