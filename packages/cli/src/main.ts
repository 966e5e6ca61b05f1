#!/usr/bin/env node
import { EXIT } from './failure.ts';
import { runCli } from './run-cli.ts';
import { Interrupts } from './environment.ts';

const interrupts = new Interrupts(() => process.exit(EXIT.interrupted));
process.on('SIGINT', () => interrupts.raise());
// Whoever reads may have read enough, such as `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runCli(process.argv.slice(2), { env, stdin, stdout, stderr, interrupts });
