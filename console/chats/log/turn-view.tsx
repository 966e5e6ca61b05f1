import { Link, useRouter } from '@tanstack/react-router';
import { Braces, Copy, Ellipsis, EyeOff, GitFork, Link2, ListTree, ListX, Pencil, RotateCcw } from 'lucide-react';
import { type ComponentProps, Fragment, lazy, memo, type ReactNode, Suspense, useMemo, useState } from 'react';
import { withoutMarks } from '../../../domain/issues.ts';
import { formatDollars, formatDuration, timeOfDay } from '../../core/text/formats.ts';
import { useCan, useIsAdvanced } from '../../core/permissions.ts';
import { useCurrentUser, useOrgId } from '../../core/session/session-context.tsx';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { CopyButton } from '../../ui/code/code-block.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useChatActions } from '../room/chat-actions.tsx';
import type { ChatTurn, Message } from '../connection/merge-messages.ts';
import type { ChatConnection } from '../connection/chat-connection.ts';
import { nameOf, partsOf, type Step } from '../connection/step-tree.ts';
import { MessageFiles } from '../files/message-files.tsx';
import { Steps } from './steps.tsx';
import { storedSteps } from './stored-steps.ts';
import classes from './log.module.css';
import { type ChatsText, useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';
import { clipboard } from '../../core/browser/browser.ts';
import { useToast } from '../../ui/overlays/toast.tsx';

const RawMessage = lazy(async () => ({ default: (await import('./raw-message.tsx')).RawMessage }));
const RetryWith = lazy(async () => ({ default: (await import('./retry-with.tsx')).RetryWith }));

interface TurnProps {
  readonly connection: ChatConnection;
  readonly turn: ChatTurn;
  readonly agentName: string;
  readonly isCorrected: boolean;
}

/** Shows a question and its answer, as far as there is one. */
export const TurnView = memo(function TurnView({ connection, turn, agentName, isCorrected }: TurnProps): ReactNode {
  const { question, answer } = turn;
  const messages = [question, answer].flatMap((message) => message ?? []);
  if (messages.length > 0 && messages.every(({ excluded }) => excluded)) return <LeftOut messages={messages} />;
  return (
    <article className={classes.turn}>
      {question !== undefined && <Question message={question} turn={turn} />}
      {answer === undefined ? (
        <LiveAnswer connection={connection} turnId={turn.turnId} agentName={agentName} />
      ) : (
        <Answer message={answer} turn={turn} agentName={agentName} isCorrected={isCorrected} />
      )}
    </article>
  );
});

interface MessageProps {
  readonly message: Message;
  readonly turn: ChatTurn;
}

function Question({ message, turn }: MessageProps): ReactNode {
  const text = useChatsText();
  const { isOwner, edit } = useChatActions();
  const { data: user } = useCurrentUser();
  if (message.excluded) return <LeftOut messages={[message]} />;
  const isOwn = message.user_id === user?.id || message.user_name === null;
  return (
    <section className={classes.question}>
      <header className={classes.asked}>
        <h2 className={classes.who}>
          {isOwn ? text.you : showInvisible(message.user_name ?? '')}
          <time dateTime={message.created_at}>{timeOfDay(message.created_at)}</time>
        </h2>
        {isOwner && turn.answer !== undefined && (
          <Button
            icon={Pencil}
            variant="quiet"
            aria-label={text.edit}
            className={classes.edit}
            onClick={() => edit(turn)}
          />
        )}
      </header>
      <p className="wrap-anywhere pre-wrap">{withoutMarks(message.content)}</p>
      <MessageFiles message={message} />
    </section>
  );
}

type LiveAnswerProps = Pick<TurnProps, 'connection' | 'agentName'> & Pick<ChatTurn, 'turnId'>;

// It alone renders anew for each chunk of text.
function LiveAnswer({ connection, turnId, agentName }: LiveAnswerProps): ReactNode {
  const live = useChatView(connection, (view) => view.live.find((turn) => turn.turnId === turnId));
  return (
    <section aria-busy="true">
      <h2 className={classes.who}>{showInvisible(agentName)}</h2>
      {live === undefined || (live.text === '' && live.steps.length === 0) ? (
        <span className={classes.cursor} aria-hidden />
      ) : (
        <AnswerParts text={live.text} steps={live.steps} turn={{ chatId: connection.chatId, turnId }} isGrowing />
      )}
    </section>
  );
}

interface AnswerPartsProps extends ComponentProps<typeof Steps> {
  readonly text: string;
  readonly isGrowing?: boolean;
}

/** What was said, with the steps where they were taken. */
function AnswerParts({ text, steps, isGrowing = false, ...stepsProps }: AnswerPartsProps): ReactNode {
  const { parts, rest } = partsOf(text, steps);
  return (
    <>
      {parts.map((part) => (
        <Fragment key={part.steps[0]?.id}>
          {part.text !== '' && <Markdown text={part.text} />}
          <Steps steps={part.steps} {...stepsProps} />
        </Fragment>
      ))}
      {rest !== '' && <Markdown text={rest} isGrowing={isGrowing} />}
    </>
  );
}

type AnswerProps = MessageProps & Pick<TurnProps, 'agentName' | 'isCorrected'>;

function Answer({ message, turn, agentName, isCorrected }: AnswerProps): ReactNode {
  const text = useChatsText();
  const { steps, records } = useMemo(() => storedSteps(message), [message]);
  if (message.excluded) return <LeftOut messages={[message]} />;
  const { status, error, finish_reason: finish } = message.metadata_;
  // The text of a turn that failed before its first word is the reason, which is said below.
  const words = message.content === error ? '' : message.content;
  return (
    <section>
      <h2 className={classes.who}>{showInvisible(message.agent_name ?? agentName)}</h2>
      <AnswerParts
        text={words}
        steps={steps}
        turn={{ chatId: message.chat_id, turnId: message.turn_id }}
        records={records}
      />
      {isCorrected && <p className="soft">{text.corrected}</p>}
      {status === 'interrupted' && <p className="soft">{text.stopped(steps.filter(isUndone).map(nameOf))}</p>}
      {status === 'failed' && <Failure why={error ?? ''} />}
      {status === 'completed' && finish === 'length' && <p className="soft">{text.cutByTokenLimit}</p>}
      <AnswerFoot message={message} turn={turn} />
    </section>
  );
}

function isUndone({ status }: Step): boolean {
  return status === 'interrupted' || status === 'unknown';
}

function Failure({ why }: { readonly why: string }): ReactNode {
  const text = useChatsText();
  const orgId = useOrgId();
  const [maySee, isAdvanced] = [useCan('providers.view'), useIsAdvanced()];
  return (
    <p className={classes.failed}>
      {text.failed(why)}{' '}
      {maySee && isAdvanced && (
        <Link to="/o/$orgId/providers" params={{ orgId }}>
          {text.waiting.accounts}
        </Link>
      )}
    </p>
  );
}

function AnswerFoot({ message, turn }: MessageProps): ReactNode {
  const text = useChatsText();
  const orgId = useOrgId();
  const { isOwner, retry } = useChatActions();
  const isAdvanced = useIsAdvanced();
  return (
    <footer className={classes.foot}>
      <div className={classes.actions}>
        <CopyButton text={message.content} label={text.copy} icon={<Copy aria-hidden />} />
        {isAdvanced && (
          <Link
            to="/o/$orgId/chats/$chatId/turns/$turnId"
            params={{ orgId, chatId: message.chat_id, turnId: message.turn_id }}
            className={buttonClass('quiet')}
            aria-label={text.trace}
            title={text.trace}
          >
            <ListTree aria-hidden />
          </Link>
        )}
        {isOwner && turn.question !== undefined && (
          <Button icon={RotateCcw} variant="quiet" aria-label={text.retry} onClick={() => retry(turn)} />
        )}
        <MoreOfAnswer message={message} turn={turn} />
      </div>
      <span>{factsOf(message, text).join(' · ')}</span>
    </footer>
  );
}

function MoreOfAnswer({ message, turn }: MessageProps): ReactNode {
  const text = useChatsText();
  const { isOwner, retry, exclude, excludeFrom, fork } = useChatActions();
  const [mayChoose, isAdvanced] = [useCan('providers.view'), useIsAdvanced()];
  const [opened, setOpened] = useState<'raw' | 'retry'>();
  const copyLink = useCopyLink(message);
  const close = () => setOpened(undefined);
  const ids = [turn.question, turn.answer].flatMap((each) => each?.id ?? []);
  const retryWith = {
    key: 'retry',
    label: text.retryWith,
    icon: <RotateCcw aria-hidden />,
    run: () => setOpened('retry'),
  };
  const owners = [
    ...(turn.question !== undefined && mayChoose && isAdvanced ? [retryWith] : []),
    { key: 'fork', label: text.fork, icon: <GitFork aria-hidden />, run: () => fork(message.id) },
    { key: 'exclude', label: text.exclude, icon: <EyeOff aria-hidden />, run: () => exclude(ids, true) },
    {
      key: 'exclude from here',
      label: text.excludeFromHere,
      icon: <ListX aria-hidden />,
      run: () => excludeFrom(ids[0] ?? message.id),
    },
  ];
  const raw = { key: 'raw', label: text.raw, icon: <Braces aria-hidden />, run: () => setOpened('raw') };
  const link = { key: 'link', label: text.link.copy, icon: <Link2 aria-hidden />, run: copyLink };
  return (
    <>
      <Menu
        label={text.moreOfAnswer}
        className={buttonClass('quiet')}
        trigger={<Ellipsis aria-hidden />}
        items={[link, ...(isOwner ? owners : []), ...(isAdvanced ? [raw] : [])]}
      />
      <Suspense>
        {opened === 'raw' && <RawMessage message={message} onClose={close} />}
        {opened === 'retry' && <RetryWith chatId={message.chat_id} onRetry={() => retry(turn)} onClose={close} />}
      </Suspense>
    </>
  );
}

function factsOf(message: Message, text: ChatsText): string[] {
  const { model = null, usage, usage_estimated: isEstimate = false, duration_ms: ms } = message.metadata_;
  return [
    ...(model === null ? [] : [showInvisible(model)]),
    ...(message.provider_used === null ? [] : [showInvisible(message.provider_used)]),
    ...tokensOf(usage, isEstimate, text),
    ...(ms === undefined ? [] : [formatDuration(ms / 1_000)]),
    ...((usage?.cost_usd ?? 0) === 0 ? [] : [formatDollars(usage?.cost_usd ?? 0)]),
  ];
}

function tokensOf(usage: Message['metadata_']['usage'], isEstimate: boolean, text: ChatsText): string[] {
  const tokens = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  return tokens === 0 ? [] : [text.tokens(tokens, isEstimate)];
}

function LeftOut({ messages }: { readonly messages: readonly Message[] }): ReactNode {
  const text = useChatsText();
  const { isOwner, exclude } = useChatActions();
  return (
    <details className={classes.leftOut}>
      <summary>{text.excluded(messages.length)}</summary>
      {messages.map(({ id, content }) => (
        <p key={id} className="wrap-anywhere pre-wrap">
          {content}
        </p>
      ))}
      {isOwner && (
        <Button
          variant="quiet"
          onClick={() =>
            exclude(
              messages.map(({ id }) => id),
              false,
            )
          }
        >
          {text.include}
        </Button>
      )}
    </details>
  );
}

/** Returns what copies the address of a message. Where a page may not copy, the address bar shows it. */
export function useCopyLink({ id, chat_id: chatId }: Message): () => void {
  const text = useChatsText().link;
  const [router, orgId, toast] = [useRouter(), useOrgId(), useToast()];
  return () => {
    const location = { to: '/o/$orgId/chats/$chatId', params: { orgId, chatId }, search: { message: id } } as const;
    const board = clipboard();
    if (board === undefined) {
      void router.navigate(location).then(() => toast(text.inAddressBar));
      return;
    }
    const { href } = router.buildLocation(location);
    board.writeText(new URL(href, globalThis.location.origin).href).then(
      () => toast(text.copied),
      () => toast(text.failed, 'failed'),
    );
  };
}
