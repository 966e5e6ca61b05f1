import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { processIdentity } from '../../scripts/stack/processes/process-identity.ts';
import { endTree } from './end-tree.ts';

// Starts a process in a group of its own, as a server is started, and goes on for ever, as that does.
const PARENT = `
  const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
  console.log(child.pid);
  setInterval(() => {}, 1000);
`;

test('a process and what it has started in groups of their own are gone, when its tree is ended', async () => {
  const parent = spawn(process.execPath, ['-e', PARENT], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const child = Number(line.toString());
  expect(processIdentity(child)).toBeDefined();
  await endTree(parent);
  expect(processIdentity(child)).toBeUndefined();
  expect(processIdentity(parent.pid ?? 0)).toBeUndefined();
});
