import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import * as workflows from '../../workflows/index.ts';
import { longTest } from '../support/in-length.ts';
import { type History, replayAll } from './replay.ts';

const FOLDER = new URL('./histories/', import.meta.url);
const CHANGED = fileURLToPath(new URL('./changed-workflows.ts', import.meta.url));
const names = readdirSync(FOLDER).map((file) => file.replace('.json', ''));

const histories = names.map((name) => ({ workflowId: name, history: JSON.parse(readText(name)) as History }));
const VIOLATION = expect.stringMatching(/TMPRL1100|[Nn]ondeterminism/);

const FIRST = [
  'conversation-continued-as-new',
  'conversation-one-turn',
  'conversation-retried-after-a-crash',
  'conversation-several-turns',
  'conversation-woken-during-a-turn',
  'probe-provider',
];
const STEPS = [
  'conversation-interrupted-in-a-wait',
  'conversation-interrupted-with-sub-agents',
  'conversation-retried-between-steps',
  'conversation-waited-for-a-provider',
  'conversation-with-sub-agents',
  'conversation-with-tool-calls',
  'sub-agent-1',
  'sub-agent-interrupted-1',
];

const PURGES = ['purge-org', 'purge-org-refused'];
const DECISIONS = [
  'conversation-waited-before-a-step',
  'conversation-waited-for-decisions',
  'sub-agent-waited-for-decisions-1',
];

const RUNS = [
  'agent-workflow-run-waited-before-a-step',
  'agent-workflow-run-retried-a-step',
  'agent-workflow-run-cancelled',
  'agent-workflow-run-continued-as-new',
];
const SIGNALLED = ['agent-workflow-run-reset', 'end-integration-grant'];
const LINGERED = ['conversation-lingered-after-a-long-turn'];
const LOST = ['sign-in-at-provider-lost'];
const WOKEN = ['push-issues'];
const CONTINUED = ['sub-agent-continued-as-new', 'task-continued-as-new', 'deliver-webhooks-continued-as-new'];

describe('the recorded histories', () => {
  test('cover every way that a conversation and a run have gone, waits for a person, and a purge', () => {
    expect(names).toEqual(expect.arrayContaining(FIRST));
    expect(names).toEqual(expect.arrayContaining([...FIRST, ...STEPS, ...PURGES].map((name) => `0.2-${name}`)));
    expect(names).toEqual(expect.arrayContaining([...DECISIONS, ...RUNS].map((name) => `0.4-${name}`)));
    expect(names).toEqual(
      expect.arrayContaining([...SIGNALLED, ...LINGERED, ...CONTINUED].map((name) => `0.6-${name}`)),
    );
    expect(names).toEqual(expect.arrayContaining([...LOST, ...WOKEN].map((name) => `0.8-${name}`)));
  });

  test('cover every workflow', () => {
    const recorded = new Set(names.map(workflowTypeOf));
    expect(recorded).toEqual(new Set(Object.keys(workflows)));
  });

  test('replay on the workflows of today', async () => {
    const results = await replayAll(histories);
    expect(results).toHaveLength(histories.length);
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  test('are refused where another activity was recorded', async () => {
    const renamed = JSON.parse(
      readText('probe-provider').replaceAll(/("activityType":\s*\{\s*"name":\s*")/g, '$1other-'),
    );
    const [result] = await replayAll([{ workflowId: 'renamed', history: renamed as History }]);
    expect(result?.error?.message).toEqual(VIOLATION);
  });

  longTest('are refused by workflows that decide something else', async () => {
    const results = await replayAll(histories, CHANGED);
    expect(results).toHaveLength(histories.length);
    for (const { workflowId, error } of results) expect([workflowId, error?.message]).toEqual([workflowId, VIOLATION]);
  });
});

function workflowTypeOf(name: string): string | undefined {
  return /"workflowType":\s*\{\s*"name":\s*"(?<type>\w+)"/.exec(readText(name))?.groups?.['type'];
}

function readText(name: string): string {
  return readFileSync(new URL(`${name}.json`, FOLDER), 'utf8');
}
