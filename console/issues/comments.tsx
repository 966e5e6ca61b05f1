import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useOwnPermissions, useRefusal } from '../core/permissions.ts';
import { useCurrentUser } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextAreaField } from '../ui/fields/text-fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { ConfirmButton } from '../ui/overlays/dialog.tsx';
import { Loaded, Pager } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './issues.module.css';
import { type Comment, useAddComment, useChangeComment, useComments, useDeleteComment } from './queries.ts';
import { useIssuesText } from './text.ts';

const EMPTY = { content: '' };

/** What was said about an issue, and where one says something. */
export function Comments({ issueId }: { readonly issueId: string }): ReactNode {
  const text = useIssuesText();
  const [comments, add, refusal] = [useComments(issueId), useAddComment(issueId), useRefusal('issues.manage')];
  return (
    <section aria-label={text.comments(comments.data?.total ?? 0)} className="stack gap-3">
      <h2>{text.comments(comments.data?.total ?? 0)}</h2>
      <Loaded query={comments}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="facts">{text.noComments}</p>
          ) : (
            <ol className="stack gap-3">
              {items.map((comment) => (
                <CommentItem key={comment.id} comment={comment} />
              ))}
            </ol>
          )
        }
      </Loaded>
      <Pager pages={comments} />
      {/* Comments that come later would push it down. */}
      {(comments.data !== undefined || comments.error !== null) && (
        <RecordForm
          draftKey={`comment.${issueId}`}
          stored={EMPTY}
          submitLabel={text.addComment}
          reason={refusal}
          onSubmit={async ({ values }) => void (await add.mutateAsync(values.content))}
        >
          {({ field }) => <TextAreaField label={text.comment} {...field('content')} />}
        </RecordForm>
      )}
    </section>
  );
}

function CommentItem({ comment }: { readonly comment: Comment }): ReactNode {
  const { remote, created_at: createdAt, updated_at: updatedAt } = comment;
  const [text, { data: user }, refusal] = [useIssuesText(), useCurrentUser(), useRefusal('issues.manage')];
  const [isEditing, setIsEditing] = useState(false);
  // Its author can; what a code host has is edited there.
  const isOwn = comment.user_id === user?.id && comment.agent_name === null && remote === null;
  return (
    <li className={`card p-3 ${classes.comment}`}>
      <header>
        <strong>{remote?.author == null ? <AuthorName author={comment} /> : showInvisible(remote.author)}</strong>
        <time dateTime={createdAt}>{timeFromNow(createdAt)}</time>
        {updatedAt !== createdAt && <span title={timeFromNow(updatedAt)}>{text.edited}</span>}
        <span className={classes.commentActions}>
          {isOwn && !isEditing && (
            <Button
              icon={Pencil}
              variant="quiet"
              aria-label={text.editComment}
              reason={refusal}
              onClick={() => setIsEditing(true)}
            />
          )}
          <Remove comment={comment} />
        </span>
      </header>
      {isEditing ? <Edit comment={comment} onDone={() => setIsEditing(false)} /> : <Markdown text={comment.content} />}
    </li>
  );
}

interface AuthorNameProps {
  readonly author: { readonly user_name: string | null; readonly agent_name: string | null };
}

/** Who wrote something: a person, or an agent for one. */
export function AuthorName({ author }: AuthorNameProps): ReactNode {
  const text = useIssuesText();
  const user = showInvisible(author.user_name ?? text.unknown);
  return author.agent_name === null ? user : text.byAgent(showInvisible(author.agent_name), user);
}

interface EditProps {
  readonly comment: Comment;
  readonly onDone: () => void;
}

function Edit({ comment: { id, issue_id: issueId, content }, onDone }: EditProps): ReactNode {
  const [text, common, change] = [useIssuesText(), useText().common, useChangeComment(issueId)];
  const stored = useMemo(() => ({ content }), [content]);
  return (
    <RecordForm
      draftKey={`comment.${issueId}.${id}`}
      stored={stored}
      submitLabel={text.save}
      actions={<Button onClick={onDone}>{common.cancel}</Button>}
      onSubmit={async ({ values }) => {
        await change.mutateAsync({ id, content: values.content });
        onDone();
      }}
    >
      {({ field }) => <TextAreaField label={text.editComment} isFirst {...field('content')} />}
    </RecordForm>
  );
}

// Its author can, and an administrator.
function Remove({ comment }: { readonly comment: Comment }): ReactNode {
  const [text, remove] = [useIssuesText(), useDeleteComment(comment.issue_id)];
  const [{ data: user }, { data: permissions }] = [useCurrentUser(), useOwnPermissions()];
  const isAdmin = permissions?.role === 'owner' || permissions?.role === 'admin';
  if (comment.user_id !== user?.id && !isAdmin) return null;
  return (
    <ConfirmButton
      icon={Trash2}
      variant="quiet"
      aria-label={text.deleteComment}
      question={text.deleteComment}
      why={text.deleteCommentWhy}
      action={text.delete}
      done={text.commentDeleted}
      onConfirm={async () => remove.mutateAsync(comment.id)}
    >
      {null}
    </ConfirmButton>
  );
}
