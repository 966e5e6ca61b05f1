import { type Agent, useAgents } from '../agents/index.ts';
import { useBeginChat } from '../chats/index.ts';
import { Button } from '../ui/controls/button.tsx';
import { firstMessages } from './first-messages.ts';
import classes from './done-step.module.css';
import { useWelcomeText } from './text.ts';

/** Begins a chat with the new agent: with one of a few first messages, or with none yet. */
export function DoneStep({ agent }: { readonly agent: Pick<Agent, 'id' | 'tools' | 'skills'> }) {
  const text = useWelcomeText();
  const [agents, begin] = [useAgents(), useBeginChat()];
  const start = (content: string) => {
    if (!begin.isPending) begin.mutate({ agentId: agent.id, content, files: [] });
  };
  const messages = firstMessages(agent, agents.data?.items ?? [], text);
  return (
    <>
      {messages.length > 0 && (
        <section aria-labelledby="first-messages">
          <h2 id="first-messages" className={classes.heading}>
            {text.tryThis}
          </h2>
          <ul className={classes.messages}>
            {messages.map((message) => (
              <li key={message}>
                <Button busy={begin.isPending && begin.variables.content === message} onClick={() => start(message)}>
                  {message}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Button
        look={messages.length > 0 ? 'plain' : 'primary'}
        className={classes.start}
        busy={begin.isPending && begin.variables.content === ''}
        onClick={() => start('')}
      >
        {text.startChat}
      </Button>
    </>
  );
}
