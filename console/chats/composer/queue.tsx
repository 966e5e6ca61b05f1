import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import type { Message } from '../connection/index.ts';
import classes from './composer.module.css';
import type { OutgoingMessage } from './outbox.ts';
import { useChatsText } from '../text.ts';

interface QueueProps {
  /** Stored questions that wait for the turns before them. */
  readonly queued: readonly Message[];
  /** Messages that are not stored yet. */
  readonly outgoing: readonly OutgoingMessage[];
  /** Undefined for those who only read. */
  readonly onSendNow: (() => void) | undefined;
  readonly onRetry: (clientMessageId: string) => void;
  readonly onDiscard: (message: OutgoingMessage) => void;
  readonly onTakeBack: (message: OutgoingMessage) => void;
}

/** Shows the messages that wait, each with what can be done about it. */
export function Queue({ queued, outgoing, onSendNow, onRetry, onDiscard, onTakeBack }: QueueProps): ReactNode {
  const text = useChatsText().queue;
  const unseen = outgoing.filter(
    ({ clientMessageId }) => !queued.some(({ client_message_id: id }) => id === clientMessageId),
  );
  if (queued.length + unseen.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label={text.label}>
      {queued.map(({ id, content }, index) => (
        <li key={id} className={classes.chip}>
          <span className={classes.content}>{content}</span>
          <span className={classes.state}>{text.queued}</span>
          {index === 0 && onSendNow !== undefined && (
            <Button look="quiet" onClick={onSendNow}>
              {text.sendNow}
            </Button>
          )}
        </li>
      ))}
      {unseen.map((message) => (
        <li key={message.clientMessageId} className={classes.chip}>
          <span className={classes.content}>{message.content}</span>
          <output className={classes.state} data-state={message.state}>
            {message.state === 'failed'
              ? text.notSent(message.reason === '' ? text.offline : message.reason)
              : text.sending}
          </output>
          {message.state === 'failed' && (
            <>
              <Button look="quiet" onClick={() => onRetry(message.clientMessageId)}>
                {text.retry}
              </Button>
              <Button look="quiet" onClick={() => onTakeBack(message)}>
                {text.toComposer}
              </Button>
              <Button look="quiet" onClick={() => onDiscard(message)}>
                {text.discard}
              </Button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
