const plural = new Intl.PluralRules('en');
const number = new Intl.NumberFormat('en');

function count(n: number, one: string, many: string): string {
  return `${number.format(n)} ${plural.select(n) === 'one' ? one : many}`;
}

/** What the console says about chats, in English. */
export const chats = {
  empty: 'No chats yet',
  none: 'No chat has this in its title.',
  filter: 'Filter by title',
  newChat: 'New chat',
  newLead: 'Choose an agent and say what to do.',
  agent: 'Agent',
  noAgents: 'There is no agent that you may use yet.',
  list: 'List of chats',
  rename: 'Rename',
  titleLabel: 'Title of the chat',
  save: 'Save',
  log: 'Messages',
  older: 'Show older messages',
  olderFailed: 'The older messages could not be read.',
  newBelow: 'New text below',
  toEnd: 'To the end',
  unread: 'New since your last visit',
  you: 'You',
  composer: {
    label: 'Message',
    placeholder: (agent: string) => (agent === '' ? 'Write a message' : `Message ${agent}`),
    send: 'Send',
    sending: 'Sending',
    hint: 'Enter sends, Shift+Enter begins a new line',
    readOnly: 'This chat is shared with you to read.',
    gone: 'This chat was deleted, or is no longer yours to see. What you have typed is kept.',
    signedOut: 'Sign in again to write. What you have typed is kept.',
    editing: 'You are changing an earlier message. Sending leaves out everything after it.',
    stopEditing: 'Keep it as it was',
    tooLong: (characters: number) => `A message may have 200,000 characters; this has ${number.format(characters)}.`,
  },
  queue: {
    label: 'Messages that wait',
    queued: 'waits for its turn',
    sending: 'is being sent',
    notSent: (why: string) => `was not sent: ${why}`,
    offline: 'the server cannot be reached',
    retry: 'Send again',
    discard: 'Discard',
    toComposer: 'Put back into the composer',
    sendNow: 'Send now: stops the running answer',
  },
  phase: {
    idle: '',
    connecting: 'connecting',
    reconnecting: 'connection lost, connecting again',
    asking: 'asking the model',
    writing: 'writing',
    tools: (n: number) => `${count(n, 'tool', 'tools')} at work`,
    agents: (n: number) => `${count(n, 'sub-agent', 'sub-agents')} at work`,
    approval: 'waiting for your decision',
    place: 'waiting for a free place',
    provider: (time: string, left: string) => `waiting for a provider until ${time} (${left})`,
    providerSoon: 'waiting for a provider',
    stopping: 'stopping',
    begun: 'The answer has begun',
    ended: (words: number) => `The answer is complete, ${count(words, 'word', 'words')}`,
    failed: 'The answer has failed',
  },
  stop: 'Stop',
  stopHint: 'Stop (Esc twice)',
  stopped: 'Stopped',
  failed: (why: string) => `Failed: ${why}`,
  corrected: 'Asked again after a fault: the text has changed.',
  excluded: (n: number) => `${count(n, 'message', 'messages')} left out of the conversation`,
  include: 'Put back',
  copy: 'Copy as Markdown',
  retry: 'Ask again',
  edit: 'Change the question',
  exclude: 'Leave out',
  notThere: 'The question is no longer there.',
  tokens: (n: number, isEstimate: boolean) => `${isEstimate ? '~' : ''}${count(n, 'token', 'tokens')}`,
  cost: (dollars: number) =>
    new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 }).format(dollars),
  seconds: (exact: number) => {
    if (exact < 9.95) return `${exact.toFixed(1)} s`;
    const seconds = Math.round(exact);
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.floor(seconds / 60);
    return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  },
  steps: {
    label: 'Steps',
    folded: (n: number, time: string) => `${count(n, 'step', 'steps')}${time === '' ? '' : `, ${time}`}`,
    status: {
      running: 'running',
      success: 'done',
      error: 'failed',
      unknown: 'outcome unknown: it may or may not have taken effect',
      interrupted: 'stopped',
      completed: 'done',
      failed: 'failed',
    },
    arguments: 'Arguments',
    result: 'Result',
    waits: 'waits for your decision',
    decided: { approved: 'approved', denied: 'denied', expired: 'expired', cancelled: 'cancelled' } as Readonly<
      Record<string, string>
    >,
    approve: 'Approve',
    deny: 'Deny',
    open: 'Open its chat',
    live: 'What it says',
    stopAgent: 'Stop this one',
    nothingYet: 'Nothing yet.',
  },
  status: { idle: 'idle', running: 'running', waiting: 'waiting' },
};
