import { formatNumber } from '../core/text/numbers.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what runs say, in the language of the page. */
export const useRunsText = ownText({
  en: {
    title: 'Runs',
    list: 'Runs',
    empty: 'No runs yet',
    emptyWhy: 'Every run of a workflow or a schedule is listed here, with its outcome and its conversation.',
    toWorkflows: 'To the workflows',
    none: 'No runs match.',
    run: 'Run',
    started: 'Started',
    state: 'State',
    trigger: 'Started by',
    duration: 'Took',
    links: 'Conversation',
    chat: 'Open the chat',
    trace: 'Open the trace',
    noChat: 'none',
    stop: 'Stop',
    stopped: 'The run is being stopped',
    agents: 'Agent',
    of: 'Workflow or schedule',
    slot: 'Scheduled for',
    tokens: 'Tokens',
    tokensOf: (read: number, written: number) => `${formatNumber(read)} read, ${formatNumber(written)} written`,
    step: 'Step',
    stepOf: (at: number, all: number) => `${at} of ${all}`,
    error: 'Why',
    prompt: 'Prompt',
    answer: 'Answer',
    noAnswer: 'No answer.',
    notYet: 'No answer yet.',
    variables: 'Variables',
    missing: (names: string) => `Without a value: ${names}`,
    steps: 'Steps',
    attempts: (n: number) => (n > 1 ? `${n} attempts` : ''),
    status: {
      queued: 'queued',
      running: 'running',
      waiting: 'waiting',
      completed: 'completed',
      failed: 'failed',
      interrupted: 'stopped',
    },
    triggers: {
      cron: 'schedule',
      schedule: 'schedule',
      manual: 'manual',
      webhook: 'webhook',
      agent: 'agent',
    },
    kind: 'Kind',
    kinds: { workflow: 'workflow', schedule: 'schedule' },
    chart: 'How long the last runs took',
    took: { good: 'completed', bad: 'failed or stopped' },
    runAt: (n: number, time: string) => `${n}. ${time}`,
  },
});

/** What runs say. */
export type RunsText = ReturnType<typeof useRunsText>;
