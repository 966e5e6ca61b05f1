import { endRun } from './run-folder.ts';

// Loaded into jest's own process: when the one that started it is killed, nobody else ends what the run has started.

const folder = process.env['EVERTURN_TEST_RUN'];
// Not for the processes that inherit the options of this one: they end at other times.
delete process.env['EVERTURN_TEST_RUN'];
if (folder !== undefined) {
  process.once('disconnect', () => {
    void endRun(folder).finally(() => process.exit(1));
  });
  // Waiting for it keeps no process alive.
  process.channel?.unref();
}
