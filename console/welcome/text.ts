import { ownText } from '../core/text/text-context.tsx';

/** Returns what the first steps say, in the language of the page. */
export const useWelcomeText = ownText({
  en: {
    title: 'Welcome to Everturn',
    lead: 'Three short steps to a first conversation. Each can be skipped, and found again under Home.',
    step: (at: number, of: number) => `Step ${at} of ${of}`,
    skip: 'Skip',
    modelTitle: 'Choose a model',
    modelLead:
      'The demo model needs no key and answers at once: it is a script that shows what agents can do. It is not used once there is an account of your own.',
    demo: 'Demo model',
    demoWhy: 'No key, no costs. Good for a first look.',
    demoInstead: 'Use the demo model instead',
    known: (account: string) => `Continue with ${account}`,
    knownWhy: 'The account that is there already. The demo model is not used any more.',
    mend: (account: string) => `Fix ${account}`,
    key: 'A provider of your own',
    keyWhy: 'An account at one of the providers, or a server that speaks the OpenAI format.',
    agentTitle: 'Choose an agent',
    agentLead: 'A template to begin with. Everything about it can be changed later.',
    doneTitle: 'Ready',
    doneLead: (agent: string) => `${agent} is ready to work.`,
    startChat: 'Start a chat',
    tryThis: 'Try one of these',
    examples: {
      time: 'What time is it?',
      sum: 'Calculate 2+3*4',
      file: 'Write file notes.md: hello',
      memory: 'Remember that I like short answers',
      delegate: (agent: string) => `Delegate to ${agent}: introduce yourself`,
    },
    toHome: 'Go to Home',
  },
});

/** What the first steps say. */
export type WelcomeText = ReturnType<typeof useWelcomeText>;
