import { ownText } from '../core/text/text-context.tsx';

/** Returns what the first steps say, in the language of the page. */
export const useWelcomeText = ownText({
  en: {
    title: 'Welcome to Everturn',
    lead: 'Three short steps to your first conversation. You can skip any of them and come back from Home.',
    step: (at: number, of: number) => `Step ${at} of ${of}`,
    skip: 'Skip',
    modelTitle: 'Choose a model',
    modelLead:
      'The demo model needs no key and answers at once: it is a script that shows what agents can do. It is replaced by the first account that you add.',
    demo: 'Demo model',
    demoWhy: 'No key, no cost. Good for a first look.',
    demoInstead: 'Use the demo model instead',
    known: (account: string) => `Continue with ${account}`,
    knownWhy: 'An account that your organization already has. It has replaced the demo model.',
    mend: (account: string) => `Fix ${account}`,
    key: 'Your own provider',
    keyWhy: 'Paste an API key, or use a server that speaks the OpenAI format.',
    agentTitle: 'Choose an agent',
    agentLead: 'Start from a template. You can change everything about it later.',
    doneTitle: 'Ready',
    doneLead: (agent: string) => `${agent} is ready.`,
    startChat: 'Start a chat',
    toHome: 'Go to Home',
  },
});
